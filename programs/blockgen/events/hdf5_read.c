/* Single events of HDF5, and what the file says about its run (layout: hdf5.c). */
#include "events/format.h"

#ifdef BG_HAVE_HDF5

#include <hdf5.h>
#include <string.h>

enum { PARTICLE_COLUMNS = 13 };

static hid_t open_file(const char *path, bg_error *error)
{
    (void)H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) events_fail(error, BG_ERROR_IO, "cannot read '%.300s': HDF5 does not open it", path);
    return file;
}

char *events_hdf5_about(const char *path, bg_error *error)
{
    const hid_t file = open_file(path, error);
    if (file < 0) return NULL;
    const hid_t a = H5Aopen(file, EVENTS_OPTIONS, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1);
    events_text t = {NULL, 0, 0, 0};
    char *found = NULL;
    (void)H5Tset_size(type, H5T_VARIABLE);
    (void)H5Tset_cset(type, H5T_CSET_UTF8);
    if (a >= 0 && H5Aread(a, type, &found) >= 0 && found) events_add(&t, found, strlen(found) + 1);
    if (found) (void)H5free_memory(found);
    if (a >= 0) (void)H5Aclose(a);
    (void)H5Tclose(type);
    (void)H5Fclose(file);
    if (!t.length) events_fail(error, BG_ERROR_ARGUMENT, "'%.300s' does not say how its events were made", path);
    return t.at;
}

/* Rows of a dataset of one or two dimensions, all columns. */
static int read_rows(hid_t file, const char *name, hid_t type, hsize_t first, hsize_t rows, hsize_t columns, void *to)
{
    const hsize_t start[2] = {first, 0}, some[2] = {rows, columns};
    hsize_t size[2] = {0, 1};
    const hid_t set = H5Dopen2(file, name, H5P_DEFAULT), from = set >= 0 ? H5Dget_space(set) : -1;
    const int rank = columns ? 2 : 1;
    int good = from >= 0 && H5Sget_simple_extent_ndims(from) == rank && H5Sget_simple_extent_dims(from, size, NULL) > 0;
    good = good && first + rows <= size[0] && columns <= size[1];
    if (good) {
        const hid_t space = H5Screate_simple(rank, some, NULL);
        good = H5Sselect_hyperslab(from, H5S_SELECT_SET, start, NULL, some, NULL) >= 0 &&
               H5Dread(set, type, space, from, H5P_DEFAULT, to) >= 0;
        (void)H5Sclose(space);
    }
    if (from >= 0) (void)H5Sclose(from);
    if (set >= 0) (void)H5Dclose(set);
    return good;
}

static int read_event(hid_t file, events_entry *e)
{
    enum { COLUMNS = 10 };
    double event[COLUMNS], particle[BG_EVENT_LEGS][PARTICLE_COLUMNS];
    if (!read_rows(file, "events", H5T_NATIVE_DOUBLE, e->place - 1, 1, COLUMNS, event) ||
        !read_rows(file, "blockgen_numbers", H5T_NATIVE_UINT64, e->place - 1, 1, 0, &e->number))
        return 0;
    e->process = (int)event[0] - 1;
    e->legs = (int)event[1];
    e->weight = event[COLUMNS - 1];
    if (e->legs < 3 || e->legs > BG_EVENT_LEGS) return 0;
    if (!read_rows(file, "particles", H5T_NATIVE_DOUBLE, (hsize_t)event[2], (hsize_t)e->legs, PARTICLE_COLUMNS,
                   particle))
        return 0;
    for (int k = 0; k < e->legs; k++) {
        const double *p = particle[k];
        const double momentum[4] = {p[9], p[6], p[7], p[8]};
        e->pdg[k] = (int)p[0];
        e->color[k][0] = (int)p[4];
        e->color[k][1] = (int)p[5];
        memcpy(e->momentum[k], momentum, sizeof momentum);
    }
    return 1;
}

bg_status events_hdf5_read(const char *path, events_entry *entry, size_t count, bg_error *error)
{
    const hid_t file = open_file(path, error);
    if (file < 0) return BG_ERROR_IO;
    for (size_t k = 0; k < count; k++) entry[k].found = read_event(file, &entry[k]);
    (void)H5Fclose(file);
    return BG_OK;
}

#else

char *events_hdf5_about(const char *path, bg_error *error)
{
    (void)path;
    events_fail(error, BG_ERROR_UNSUPPORTED, "%s", events_hdf5.missing);
    return NULL;
}

bg_status events_hdf5_read(const char *path, events_entry *entry, size_t count, bg_error *error)
{
    (void)path;
    (void)entry;
    (void)count;
    return events_fail(error, BG_ERROR_UNSUPPORTED, "%s", events_hdf5.missing);
}

#endif
