"""Any layout to any other by exchanges of address bits: in sequence, in halves, or together."""
