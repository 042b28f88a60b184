"""The table: the algorithms that come with graycube, one a file, the general ones last."""

from graycube.table import relabel, units
from graycube.table.algorithm import Algorithm
from graycube.table.exchanges import dimension_exchange, half_exchange, pipeline, rotated_parts
from graycube.table.gray import (
    any_order,
    circuit_split,
    few_ports,
    fewer_bytes,
    field_phases,
    gb1,
    gb2,
    gb3,
    minimum_path,
    nonminimum_path,
    nonminimum_ring,
    pipelined,
    rotations,
    three_fifths,
    tight,
    two_cube,
)
from graycube.table.messages import (
    all_to_all,
    by_message,
    by_part,
    direct,
    groups,
    hierarchical,
    pairs,
    streams,
)
from graycube.table.networks import copies, sectioning

TABLE: tuple[Algorithm, ...] = (
    relabel.ALGORITHM,
    direct.ALGORITHM,
    gb1.ALGORITHM,
    gb2.ALGORITHM,
    gb3.ALGORITHM,
    any_order.ALGORITHM,
    circuit_split.ALGORITHM,
    pipelined.ALGORITHM,
    minimum_path.ALGORITHM,
    nonminimum_path.ALGORITHM,
    nonminimum_ring.ALGORITHM,
    three_fifths.ALGORITHM,
    field_phases.ALGORITHM,
    two_cube.ALGORITHM,
    tight.ALGORITHM,
    rotations.ALGORITHM,
    few_ports.ALGORITHM,
    fewer_bytes.ALGORITHM,
    dimension_exchange.ALGORITHM,
    half_exchange.ALGORITHM,
    rotated_parts.ALGORITHM,
    pipeline.ALGORITHM,
    all_to_all.ALGORITHM,
    groups.ALGORITHM,
    hierarchical.ALGORITHM,
    pairs.ALGORITHM,
    by_message.ALGORITHM,
    by_part.ALGORITHM,
    streams.ALGORITHM,
    units.ALGORITHM,
    *sectioning.ALGORITHMS,
    copies.ALGORITHM,
)
