/* FFTW-MPI without Python around it: the median time of complex transforms of n points.

   fftw_mpi N scrambled|natural REPETITIONS WISDOM OUTPUT

   The input is x[k] = (k mod 1021) + i (k k mod 1013); the first result goes to OUTPUT, in the
   order that FFTW leaves, for someone else to check. Prints the median of the slowest rank's
   seconds. WISDOM is read and written. */

#include <fftw3-mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void fill(fftw_complex *x, ptrdiff_t start, ptrdiff_t count)
{
    for (ptrdiff_t k = 0; k < count; k++) {
        ptrdiff_t at = start + k;
        x[k][0] = (double)(at % 1021);
        x[k][1] = (double)(at % 1013 * (at % 1013) % 1013);
    }
}

static void write_result(const char *path, fftw_complex *x, ptrdiff_t start, ptrdiff_t count)
{
    MPI_File file;
    MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, start * (MPI_Offset)sizeof *x, x, (int)(2 * count), MPI_DOUBLE,
                          MPI_STATUS_IGNORE);
    MPI_File_close(&file);
}

static double slowest(fftw_plan plan)
{
    double start, mine, most;
    MPI_Barrier(MPI_COMM_WORLD);
    start = MPI_Wtime();
    fftw_execute(plan);
    mine = MPI_Wtime() - start;
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 6)
        MPI_Abort(MPI_COMM_WORLD, 2);
    ptrdiff_t n = atol(argv[1]), count, start, count_out, start_out;
    unsigned order = strcmp(argv[2], "scrambled") ? 0 : FFTW_MPI_SCRAMBLED_OUT;
    int repetitions = atoi(argv[3]);
    if (rank == 0)
        fftw_import_wisdom_from_filename(argv[4]);
    fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
    ptrdiff_t room = fftw_mpi_local_size_1d(n, MPI_COMM_WORLD, FFTW_FORWARD, order, &count,
                                            &start, &count_out, &start_out);
    fftw_complex *x = fftw_alloc_complex(room);
    fftw_plan plan = fftw_mpi_plan_dft_1d(n, x, x, MPI_COMM_WORLD, FFTW_FORWARD,
                                          FFTW_MEASURE | order);
    if (plan == NULL)
        MPI_Abort(MPI_COMM_WORLD, 3);
    fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
    if (rank == 0)
        fftw_export_wisdom_to_filename(argv[4]);
    double *times = malloc(sizeof *times * repetitions);
    for (int i = 0; i <= repetitions; i++) { /* the first one is for the output */
        fill(x, start, count);
        double seconds = slowest(plan);
        if (i == 0)
            write_result(argv[5], x, start_out, count_out);
        else
            times[i - 1] = seconds;
    }
    qsort(times, repetitions, sizeof *times, by_size);
    if (rank == 0)
        printf("%.9f\n", times[repetitions / 2]);
    MPI_Finalize();
    return 0;
}
