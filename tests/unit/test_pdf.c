/* Parton densities: interpolation against a plain implementation and against LHAPDF's own numbers where its set is at
 * hand, the built-in set against the published table, names and places of sets, and files that are not what they should
 * be. */
#include "support.h"

#include "beams/luminosity.h"
#include "beams/pdf.h"
#include "process/partons.h"
#include "process/process.h"

#include <sys/stat.h>

/* ---- a set that is made here -------------------------------------------------------------------------------------- */

enum { X = 12, MOST_Q = 7, SUBGRIDS = 3, COLUMNS = 8, ALPHAS = 9, TEXT = 1 << 16 };
static const int scales_of[SUBGRIDS] = {3, 2, 7};
static const int column_pdg[COLUMNS] = {-2, -1, 0, 1, 2, 5, 6, 22};

typedef struct plain {
    double x[X], q[SUBGRIDS][MOST_Q], value[SUBGRIDS][X][MOST_Q][COLUMNS];
    double alpha_q[ALPHAS], alpha[ALPHAS];
} plain;

/* Irregular knots, some densities negative, some below 1e-3. */
static plain *make_plain(random_source *r)
{
    plain *p = test_malloc(sizeof *p);
    double z = -14.;
    for (int i = 0; i < X; i++, z *= uniform(r, 0.6, 0.9)) p->x[i] = i + 1 == X ? 1. : exp(z);
    double q = 1.3;
    for (int s = 0; s < SUBGRIDS; s++)
        for (int j = 0; j < scales_of[s]; j++) p->q[s][j] = s && !j ? q : (q *= uniform(r, 1.2, 3.));
    for (int s = 0; s < SUBGRIDS; s++)
        for (int i = 0; i < X; i++)
            for (int j = 0; j < scales_of[s]; j++)
                for (int c = 0; c < COLUMNS; c++)
                    p->value[s][i][j][c] = c == 3   ? uniform(r, -1., 1.)
                                           : c == 4 ? 1e-4 * uniform(r, 0., 1.)
                                                    : uniform(r, 0.1, 5.);
    for (int k = 0; k < ALPHAS; k++) {
        p->alpha_q[k] = k == 4 ? p->alpha_q[3] : (k ? p->alpha_q[k - 1] : 1.) * uniform(r, 1.3, 2.5);
        p->alpha[k] = 0.5 / (1. + k) * uniform(r, 0.9, 1.1);
    }
    return p;
}

static void write_info(const plain *p, const char *more, char *text)
{
    size_t n =
        (size_t)snprintf(text, TEXT,
                         "# a set of a test\nSetDesc: \"made\n  of random numbers\"\nSetIndex: 1000\nFormat: lhagrid1\n"
                         "NumMembers: 7\nErrorType: replicas\n%sAlphaS_Type: ipol\nAlphaS_Qs: [",
                         more);
    for (int k = 0; k < ALPHAS; k++)
        n += (size_t)snprintf(text + n, TEXT - n, "%s%.17g", k ? ",\n " : "", p->alpha_q[k]);
    n += (size_t)snprintf(text + n, TEXT - n, "]\nAlphaS_Vals:\n");
    for (int k = 0; k < ALPHAS; k++) n += (size_t)snprintf(text + n, TEXT - n, "- %.17g\n", p->alpha[k]);
}

static void write_grid(const plain *p, char *text)
{
    size_t n = (size_t)snprintf(text, TEXT, "PdfType: central\nFormat: lhagrid1\n---\n");
    for (int s = 0; s < SUBGRIDS; s++) {
        for (int i = 0; i < X; i++) n += (size_t)snprintf(text + n, TEXT - n, " %.17g", p->x[i]);
        n += (size_t)snprintf(text + n, TEXT - n, "\n\n# scales\n");
        for (int j = 0; j < scales_of[s]; j++) n += (size_t)snprintf(text + n, TEXT - n, " %.17g", p->q[s][j]);
        n += (size_t)snprintf(text + n, TEXT - n, "\n");
        for (int c = 0; c < COLUMNS; c++) n += (size_t)snprintf(text + n, TEXT - n, " %d", column_pdg[c]);
        n += (size_t)snprintf(text + n, TEXT - n, "\n");
        for (int i = 0; i < X; i++)
            for (int j = 0; j < scales_of[s]; j++)
                for (int c = 0; c < COLUMNS; c++)
                    n += (size_t)snprintf(text + n, TEXT - n, "%.17g%s", p->value[s][i][j][c],
                                          c + 1 < COLUMNS ? " " : "\n");
        n += (size_t)snprintf(text + n, TEXT - n, "---\n");
    }
    assert_true(n + 1 < TEXT);
}

static bg_status parse_texts(bg_pdf **pdf, const char *info, const char *grid, bg_error *error)
{
    return bg_pdf_parse(pdf, "made/made.info", info, "made/made_0000.dat", grid, 3, error);
}

static bg_pdf *open_plain(const plain *p, const char *more)
{
    char *info = test_malloc(TEXT), *grid = test_malloc(TEXT);
    bg_pdf *pdf;
    bg_error error;
    write_info(p, more, info);
    write_grid(p, grid);
    if (parse_texts(&pdf, info, grid, &error) != BG_OK) fail_msg("%s", error.message);
    test_free(info);
    test_free(grid);
    return pdf;
}

/* ---- the same once more, straight from the formulas --------------------------------------------------------------- */

static double hermite(double t, double low, double low_slope, double high, double high_slope)
{
    return (2 * t * t * t - 3 * t * t + 1) * low + (t * t * t - 2 * t * t + t) * low_slope +
           (3 * t * t - 2 * t * t * t) * high + (t * t * t - t * t) * high_slope;
}

/* The slope of interval k, from k to k + 1, and that at knot k. */
static double chord(int k, const double *z, const double *f) { return (f[k + 1] - f[k]) / (z[k + 1] - z[k]); }

static double slope_at(int k, int count, const double *z, const double *f)
{
    if (k == 0) return chord(0, z, f);
    if (k + 1 == count) return chord(count - 2, z, f);
    return 0.5 * (chord(k - 1, z, f) + chord(k, z, f));
}

static double interpolate(int count, const double *z, const double *f, double at, int linear)
{
    int k = 0;
    while (k + 2 < count && z[k + 1] <= at) k++;
    const double h = z[k + 1] - z[k], t = (at - z[k]) / h;
    if (linear) return f[k] + t * (f[k + 1] - f[k]);
    return hermite(t, f[k], h * slope_at(k, count, z, f), f[k + 1], h * slope_at(k + 1, count, z, f));
}

static double plain_inside(const plain *p, int c, double x, double q2)
{
    int s = SUBGRIDS - 1;
    while (s > 0 && q2 < p->q[s][0] * p->q[s][0]) s--;
    const int linear = scales_of[s] == 2;
    double zx[X], zq[MOST_Q], column[X], row[MOST_Q];
    for (int i = 0; i < X; i++) zx[i] = log(p->x[i]);
    for (int j = 0; j < scales_of[s]; j++) {
        zq[j] = log(p->q[s][j] * p->q[s][j]);
        for (int i = 0; i < X; i++) column[i] = p->value[s][i][j][c];
        row[j] = interpolate(X, zx, column, log(x), linear);
    }
    return interpolate(scales_of[s], zq, row, log(q2), linear);
}

static double line(double z, double z0, double z1, double f0, double f1)
{
    const double w = (log(z) - log(z0)) / (log(z1) - log(z0));
    return f0 > 1e-3 && f1 > 1e-3 ? exp(log(f0) + w * (log(f1) - log(f0))) : f0 + w * (f1 - f0);
}

static double plain_row(const plain *p, int c, double x, double q2)
{
    if (x >= p->x[0]) return plain_inside(p, c, x, q2);
    return line(x, p->x[0], p->x[1], plain_inside(p, c, p->x[0], q2), plain_inside(p, c, p->x[1], q2));
}

static double plain_above(const plain *p, int c, double x, double q2)
{
    const double *q = p->q[SUBGRIDS - 1] + scales_of[SUBGRIDS - 1] - 1, last = q[0] * q[0], before = q[-1] * q[-1];
    return line(q2, last, before, plain_inside(p, c, x, last), plain_inside(p, c, x, before));
}

static double plain_xf(const plain *p, int c, double x, double q2)
{
    const double first = p->q[0][0] * p->q[0][0], last = p->q[SUBGRIDS - 1][scales_of[SUBGRIDS - 1] - 1];
    if (q2 >= first && q2 <= last * last) return plain_row(p, c, x, q2);
    if (q2 > first) {
        if (x >= p->x[0]) return plain_above(p, c, x, q2);
        return line(x, p->x[0], p->x[1], plain_above(p, c, p->x[0], q2), plain_above(p, c, p->x[1], q2));
    }
    const double f0 = plain_row(p, c, x, first), f1 = plain_row(p, c, x, 1.01 * first), r = q2 / first;
    const double g = fabs(f0) >= 1e-5 ? fmax(-2.5, (f1 - f0) / f0 / 0.01) : 1.;
    return f0 * pow(r, g * r + 1. - r);
}

static double plain_alpha(const plain *p, double q2)
{
    enum { CUT = 4 };
    double z[ALPHAS];
    for (int k = 0; k < ALPHAS; k++) z[k] = log(p->alpha_q[k] * p->alpha_q[k]);
    if (q2 < p->alpha_q[0] * p->alpha_q[0])
        return p->alpha[0] * pow(q2 / (p->alpha_q[0] * p->alpha_q[0]), log(p->alpha[1] / p->alpha[0]) / (z[1] - z[0]));
    if (q2 > p->alpha_q[ALPHAS - 1] * p->alpha_q[ALPHAS - 1]) return p->alpha[ALPHAS - 1];
    if (q2 < p->alpha_q[CUT] * p->alpha_q[CUT]) return interpolate(CUT, z, p->alpha, log(q2), 0);
    return interpolate(ALPHAS - CUT, z + CUT, p->alpha + CUT, log(q2), 0);
}

/* ---- interpolation ------------------------------------------------------------------------------------------------ */

static void compare_point(const plain *p, const bg_pdf *pdf, double x, double q2, double tolerance)
{
    double xf[BG_PDF_PARTONS], one;
    const pdf_scale scale = pdf_scale_of(&pdf->grid, q2);
    pdf_xf(&pdf->grid, x, q2, xf);
    for (int c = 0; c < COLUMNS; c++) {
        if (column_pdg[c] > BG_MAX_FLAVORS) continue;
        const double wanted = plain_xf(p, c, x, q2), got = xf[pdf_place(column_pdg[c])];
        /* relative to the values at the knots: polynomials through random numbers may be anywhere in between */
        const double size = c == 3 ? 1. : c == 4 ? 1e-4 : 5.;
        if (fabs(got - wanted) > tolerance * fmax(fabs(wanted), size))
            fail_msg("parton %d at x = %.17g, Q^2 = %.17g: %.17g, not %.17g", column_pdg[c], x, q2, got, wanted);
    }
    assert_true(xf[pdf_place(-3)] == 0. && xf[pdf_place(4)] == 0. && xf[pdf_place(-5)] == 0.);
    pdf_some(&pdf->grid, &scale, x, BG_PDF_GLUON, 1, &one);
    assert_relative(one, xf[BG_PDF_GLUON], 1e-14, "the gluon alone");
}

static void interpolation(void **state)
{
    (void)state;
    random_source r = fresh_source(1);
    for (int set = 0; set < effort_of(20, 2); set++) {
        plain *p = make_plain(&r);
        bg_pdf *pdf = open_plain(p, "");
        const double low = p->q[0][0], high = p->q[SUBGRIDS - 1][MOST_Q - 1];
        assert_true(pdf->x_min == p->x[0] && pdf->x_max == 1. && pdf->q_min == low && pdf->q_max == high);
        for (int k = 0; k < 300; k++) {
            const double x = exp(uniform(&r, log(p->x[0]), 0.)), q = exp(uniform(&r, log(low), log(high)));
            compare_point(p, pdf, x, q * q, 1e-12);
        }
        for (int s = 0; s < SUBGRIDS; s++)
            for (int j = 0; j < scales_of[s]; j++)
                for (int i = 0; i < X; i++) { /* knots, and what is next to them */
                    const double q2 = p->q[s][j] * p->q[s][j];
                    compare_point(p, pdf, p->x[i], q2, 1e-12);
                    compare_point(p, pdf, p->x[i], fmax(nextafter(q2, 0.), low * low), 1e-11);
                    compare_point(p, pdf, nextafter(p->x[i], 0.), q2, 1e-11);
                }
        for (int k = 0; k < 100; k++) { /* outside */
            const double out = p->x[0] * uniform(&r, 0.01, 1.), x = exp(uniform(&r, log(p->x[0]), 0.));
            const double below = low * uniform(&r, 0.1, 1.), above = high * uniform(&r, 1., 10.);
            const double q = exp(uniform(&r, log(low), log(high)));
            compare_point(p, pdf, out, q * q, 1e-10);
            compare_point(p, pdf, x, below * below, 1e-10);
            compare_point(p, pdf, x, above * above, 1e-10);
            compare_point(p, pdf, out, below * below, 1e-9);
            compare_point(p, pdf, out, above * above, 1e-10);
        }
        for (int k = 0; k < 200; k++) {
            const double q = k < ALPHAS ? p->alpha_q[k]
                                        : exp(uniform(&r, log(0.5 * p->alpha_q[0]), log(2. * p->alpha_q[ALPHAS - 1])));
            assert_relative(pdf_alpha_s(&pdf->grid, q * q), plain_alpha(p, q * q), 1e-12, "alpha_s at %g", q);
        }
        bg_pdf_close(pdf);
        test_free(p);
    }
}

/* Nothing to be had: zeros, and no memory that is not ours. */
static void nonsense(void **state)
{
    (void)state;
    random_source r = fixed_source(2);
    plain *p = make_plain(&r);
    bg_pdf *pdf = open_plain(p, "");
    static const double odd[] = {0., -1., 1.0000001, 2., 1e300, HUGE_VAL, -HUGE_VAL, NAN};
    double xf[BG_PDF_PARTONS];
    for (size_t k = 0; k < sizeof odd / sizeof *odd; k++) {
        pdf_xf(&pdf->grid, odd[k], 100., xf);
        for (int c = 0; c < BG_PDF_PARTONS; c++) assert_true(xf[c] == 0.);
        if (odd[k] > 0.) continue;
        pdf_xf(&pdf->grid, 0.1, odd[k], xf);
        for (int c = 0; c < BG_PDF_PARTONS; c++) assert_true(xf[c] == 0.);
    }
    for (double x = 1e-300; x < 1.; x *= 1e10)
        for (double q2 = 1e-300; q2 < 1e300; q2 *= 1e10) {
            pdf_xf(&pdf->grid, x, q2, xf);
            assert_true(pdf_alpha_s(&pdf->grid, q2) >= 0.);
        }
    bg_pdf_close(pdf);
    test_free(p);
}

static void positivity(void **state)
{
    (void)state;
    random_source r = fixed_source(3);
    plain *p = make_plain(&r);
    bg_pdf *pdf[3];
    int changed = 0, has[BG_PDF_PARTONS] = {0};
    for (int c = 0; c < COLUMNS; c++)
        if (column_pdg[c] <= BG_MAX_FLAVORS) has[pdf_place(column_pdg[c])] = 1;
    for (int k = 0; k < 3; k++) {
        char more[40];
        snprintf(more, sizeof more, "ForcePositive: %d\n", k);
        pdf[k] = open_plain(p, more);
    }
    for (int k = 0; k < 500; k++) {
        double xf[3][BG_PDF_PARTONS];
        const double x = exp(uniform(&r, -16., 0.)), q2 = exp(uniform(&r, 0., 12.));
        for (int s = 0; s < 3; s++) pdf_xf(&pdf[s]->grid, x, q2, xf[s]);
        for (int c = 0; c < BG_PDF_PARTONS; c++) {
            assert_true(xf[1][c] == fmax(0., xf[0][c]));
            assert_true(xf[2][c] == (has[c] ? fmax(1e-10, xf[0][c]) : 0.));
            changed += xf[0][c] < 0.;
        }
    }
    assert_true(changed > 100);
    for (int k = 0; k < 3; k++) bg_pdf_close(pdf[k]);
    test_free(p);
}

static void facts(void **state)
{
    (void)state;
    random_source r = fixed_source(4);
    plain *p = make_plain(&r);
    bg_pdf *pdf = open_plain(p, "OrderQCD: 2\n");
    assert_string_equal(pdf->name, "made");
    assert_string_equal(pdf->description, "made   of random numbers");
    assert_string_equal(pdf->error_type, "replicas");
    assert_int_equal(pdf->member, 3);
    assert_int_equal(pdf->members, 7);
    assert_int_equal(pdf->id, 1003);
    assert_int_equal(pdf->order, 2);
    assert_int_equal(pdf->particle, 2212);
    for (int k = -5; k <= 5; k++) {
        const int pdg = k ? k : BG_PDG_GLUON;
        assert_int_equal(pdf_place(pdg), k + 5);
        assert_int_equal(pdf_place(bg_parton_conjugate(pdg)), 10 - pdf_place(pdg));
    }
    bg_pdf_close(pdf);
    test_free(p);
}

/* ---- analytic couplings ------------------------------------------------------------------------------------------- */

static bg_pdf *open_analytic(const plain *p, const char *entries)
{
    char *info = test_malloc(TEXT), *grid = test_malloc(TEXT);
    bg_pdf *pdf;
    bg_error error;
    snprintf(info, TEXT, "Format: lhagrid1\nNumMembers: 9\nAlphaS_Type: analytic\n%s", entries);
    write_grid(p, grid);
    if (parse_texts(&pdf, info, grid, &error) != BG_OK) fail_msg("%s", error.message);
    test_free(info);
    test_free(grid);
    return pdf;
}

static void analytic_coupling(void **state)
{
    (void)state;
    random_source r = fixed_source(5);
    plain *p = make_plain(&r);
    bg_pdf *pdf =
        open_analytic(p, "AlphaS_OrderQCD: 1\nAlphaS_Lambda4: 0.3\nAlphaS_Lambda5: 0.2\nMCharm: 1.4\nMBottom: 4.5\n");
    assert_relative(pdf_alpha_s(&pdf->grid, 16.), 12. * PI / (25. * log(16. / 0.09)), 1e-14, "four flavors");
    assert_relative(pdf_alpha_s(&pdf->grid, 1.), 12. * PI / (25. * log(1. / 0.09)), 1e-14, "four flavors");
    assert_relative(pdf_alpha_s(&pdf->grid, 4.5 * 4.5), 12. * PI / (25. * log(20.25 / 0.09)), 1e-14, "the threshold");
    assert_relative(pdf_alpha_s(&pdf->grid, 1e4), 12. * PI / (23. * log(1e4 / 0.04)), 1e-14, "five flavors");
    assert_true(pdf_alpha_s(&pdf->grid, 0.09) > 1e300);
    bg_pdf_close(pdf);
    /* Review of Particle Physics 2012, section 9: at four loops 213, 296 and 339 MeV belong to 0.1184 at 91.1876 GeV. */
    pdf = open_analytic(p, "AlphaS_OrderQCD: 4\nAlphaS_Lambda3: 0.339\nAlphaS_Lambda4: 0.296\nAlphaS_Lambda5: 0.213\n"
                           "MCharm: 1.3\nMBottom: 4.2\n");
    assert_relative(pdf_alpha_s(&pdf->grid, 91.1876 * 91.1876), 0.1184, 1e-3, "four loops at the Z");
    assert_relative(pdf_alpha_s(&pdf->grid, nextafter(4.2 * 4.2, 100.)), pdf_alpha_s(&pdf->grid, 4.2 * 4.2), 0.01,
                    "at bottom");
    assert_relative(pdf_alpha_s(&pdf->grid, nextafter(1.69, 2.)), pdf_alpha_s(&pdf->grid, 1.69), 0.03, "at charm");
    /* d alpha/d log Q^2 = -alpha^2 (b0 + b1 alpha + ..) of five flavors, to the order that is left out */
    for (double q2 = 1e3; q2 < 1e8; q2 *= 10.) {
        const double h = 1e-4, a = pdf_alpha_s(&pdf->grid, q2), n = 5.;
        const double slope = (pdf_alpha_s(&pdf->grid, q2 * exp(h)) - pdf_alpha_s(&pdf->grid, q2 * exp(-h))) / (2. * h);
        const double b0 = (33. - 2. * n) / (12. * PI), b1 = (153. - 19. * n) / (24. * PI * PI),
                     b2 = (77139. - 15099. * n + 325. * n * n) / (3456. * PI * PI * PI);
        /* beta_3 of five flavors over (4 pi)^4, 4826.16: hep-ph/9701390 */
        const double b3 = 4826.1563 / (256. * PI * PI * PI * PI);
        const double y = 1. / log(q2 / (0.213 * 0.213)), left = b1 / (b0 * b0) * y * log(y);
        assert_relative(slope, -a * a * (b0 + a * (b1 + a * (b2 + a * b3))), 4. * pow(left, 4.),
                        "evolution at Q^2 = %g", q2);
    }
    bg_pdf_close(pdf);
    test_free(p);
}

/* ---- LHAPDF's numbers --------------------------------------------------------------------------------------------- */

/* A folder with the set NNPDF31_nnlo_as_0118_mc and with pdf/pdf_reference.txt, pdf/alphas_reference.txt, which LHAPDF 6.5.2
 * has made from it. Sets are not part of this repository: BLOCKGEN_TEST_DENSITIES names such a folder, and without it a folder
 * shared/data beside the checkout is looked into. */
static int find_reference(char *folder, size_t size)
{
    char path[1200];
    const char *given = getenv("BLOCKGEN_TEST_DENSITIES");
    struct stat s;
    snprintf(folder, size, "%s", given ? given : TEST_DATA_DIR "/../../../shared/data");
    snprintf(path, sizeof path, "%s/pdf/pdf_reference.txt", folder);
    if (stat(path, &s) != 0) return 0;
    snprintf(path, sizeof path, "%s/NNPDF31_nnlo_as_0118_mc/NNPDF31_nnlo_as_0118_mc.info", folder);
    return stat(path, &s) == 0;
}

static FILE *open_reference(const char *folder, const char *name)
{
    char path[1200];
    snprintf(path, sizeof path, "%s/pdf/%s", folder, name);
    FILE *f = fopen(path, "r");
    if (!f) fail_msg("%s", path);
    return f;
}

static void lhapdf(void **state)
{
    (void)state;
    char folder[1000], path[1200], row[1000];
    if (!find_reference(folder, sizeof folder)) {
        print_message("no reference of LHAPDF (BLOCKGEN_TEST_DENSITIES): the same formulas are checked on made sets\n");
        skip();
    }
    bg_pdf *pdf;
    bg_error error;
    snprintf(path, sizeof path, "%s/NNPDF31_nnlo_as_0118_mc:0", folder);
    if (bg_pdf_open(&pdf, path, &error) != BG_OK) fail_msg("%s", error.message);
    assert_int_equal(pdf->id, 316200);
    assert_int_equal(pdf->members, 101);
    int points = 0, scales = 0;
    FILE *f = open_reference(folder, "pdf_reference.txt");
    while (fgets(row, sizeof row, f)) {
        if (row[0] == '#') continue;
        double v[2 + BG_PDF_PARTONS], xf[BG_PDF_PARTONS];
        char *at = row;
        for (int k = 0; k < 2 + BG_PDF_PARTONS; k++) v[k] = strtod(at, &at);
        pdf_xf(&pdf->grid, v[0], v[1] * v[1], xf);
        for (int k = 0; k < BG_PDF_PARTONS; k++)
            if (fabs(xf[k] - v[2 + k]) > 1e-15 + 1e-12 * fabs(v[2 + k]))
                fail_msg("parton %d at x = %g, Q = %g: %.17g, LHAPDF %.17g", k, v[0], v[1], xf[k], v[2 + k]);
        points++;
    }
    fclose(f);
    f = open_reference(folder, "alphas_reference.txt");
    while (fgets(row, sizeof row, f)) {
        if (row[0] == '#') continue;
        char *at = row;
        const double q = strtod(at, &at), wanted = strtod(at, &at);
        assert_relative(pdf_alpha_s(&pdf->grid, q * q), wanted, 1e-12, "alpha_s at %g", q);
        scales++;
    }
    fclose(f);
    assert_true(points > 2000 && scales > 400);
    bg_pdf_close(pdf);
}

/* ---- the built-in set --------------------------------------------------------------------------------------------- */

static bg_pdf *open_set(const char *name)
{
    bg_pdf *pdf;
    bg_error error;
    if (bg_pdf_open(&pdf, name, &error) != BG_OK) fail_msg("%s", error.message);
    return pdf;
}

/* hep-ph/0204316, table 2, variable number of flavors: uv, dv, L- = dbar - ubar, L+ = 2 (ubar + dbar), s+, c+, b+, g at
 * Q^2 = 10^4 GeV^2. data/pdf/make_default.py compares all digits; here it is the error of the grid. */
static void published_table(void **state)
{
    (void)state;
    static const double table[][9] = {
        {1e-5, 1.9006e-3, 1.1229e-3, 3.2249e-5, 2.4693e+1, 1.1659e+1, 1.1201e+1, 1.0037e+1, 2.5282e+2},
        {1e-4, 1.0186e-2, 5.9819e-3, 1.9345e-4, 1.1406e+1, 5.1583e+0, 4.7953e+0, 4.1222e+0, 9.6048e+1},
        {1e-3, 5.0893e-2, 2.9576e-2, 1.0730e-3, 5.0424e+0, 2.0973e+0, 1.8147e+0, 1.4582e+0, 3.1333e+1},
        {1e-2, 2.2080e-1, 1.2497e-1, 4.9985e-3, 2.0381e+0, 7.2625e-1, 5.3107e-1, 3.8106e-1, 7.7728e+0},
        {0.1, 5.7166e-1, 2.8334e-1, 1.0428e-2, 4.0496e-1, 1.1596e-1, 5.8288e-2, 3.5056e-2, 8.4358e-1},
        {0.3, 3.7597e-1, 1.4044e-1, 3.2629e-3, 3.9592e-2, 1.0363e-2, 4.0740e-3, 2.2039e-3, 7.8026e-2},
        {0.5, 1.3284e-1, 3.4802e-2, 4.2031e-4, 2.8066e-3, 7.1707e-4, 2.5958e-4, 1.3522e-4, 7.4719e-3},
        {0.7, 2.2643e-2, 3.5134e-3, 1.5468e-5, 6.7201e-5, 1.7278e-5, 6.3958e-6, 3.3996e-6, 3.5241e-4},
        {0.9, 4.2047e-4, 2.1529e-5, 1.0635e-8, 3.4998e-8, 9.8394e-9, 4.7330e-9, 2.8903e-9, 1.0307e-6}};
    bg_pdf *pdf = open_set(NULL);
    assert_string_equal(pdf->name, BG_PDF_BUILT_IN);
    assert_int_equal(pdf->id, -1);
    assert_int_equal(pdf->order, 0);
    assert_non_null(strstr(pdf->description, "first steps and tests"));
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        double f[BG_PDF_PARTONS];
        pdf_xf(&pdf->grid, table[k][0], 1e4, f);
        const double now[] = {f[7] - f[3], f[6] - f[4], f[4] - f[3], 2. * (f[3] + f[4]),
                              2. * f[8],   2. * f[9],   2. * f[10],  f[5]};
        const double tolerance = table[k][0] < 0.4 ? 1e-3 : 4e-3;
        for (int c = 0; c < 8; c++) { /* differences of the sea to a part of the sea */
            const double scale = c < 3 ? now[c] + 0.02 * now[3] : table[k][c + 1];
            if (fabs(now[c] - table[k][c + 1]) > tolerance * scale)
                fail_msg("combination %d at x = %g: %g, published %g", c, table[k][0], now[c], table[k][c + 1]);
        }
        assert_true(f[0] == f[10] && f[1] == f[9] && f[2] == f[8]);
    }
    assert_relative(pdf_alpha_s(&pdf->grid, 1e4), 0.122306, 1e-5, "alpha_s at 100 GeV"); /* the same table */
    assert_relative(pdf_alpha_s(&pdf->grid, 2.000000001), 0.35, 1e-6, "alpha_s at the start");
    bg_pdf_close(pdf);
}

/* Momentum is 1, two u and one d more than their antiquarks: integrals over x, d x = x d log x, by midpoints. Differences of
 * quarks and antiquarks are a power of x below 1e-5, where they are small ones of large numbers. */
static void sum_rules(void **state)
{
    (void)state;
    bg_pdf *pdf = open_set("");
    for (double q = 1.5; q < 1e5; q *= 7.) {
        const int steps = 20000;
        const double least = 1e-5, low = log(1e-12), h = -low / steps, z = -log(least) / steps;
        const pdf_scale scale = pdf_scale_of(&pdf->grid, q * q);
        double momentum = 0., valence[2] = {0., 0.}, f[BG_PDF_PARTONS], next[BG_PDF_PARTONS];
        for (int k = 0; k < steps; k++) {
            const double x = exp(low + (k + 0.5) * h);
            pdf_all(&pdf->grid, &scale, x, f);
            for (int c = 0; c < BG_PDF_PARTONS; c++) momentum += f[c] * x * h;
            pdf_all(&pdf->grid, &scale, least * exp((k + 0.5) * z), f);
            for (int c = 0; c < 2; c++) valence[c] += (f[6 + c] - f[4 - c]) * z;
        }
        pdf_all(&pdf->grid, &scale, least, f);
        pdf_all(&pdf->grid, &scale, 10. * least, next);
        for (int c = 0; c < 2; c++) {
            const double now = f[6 + c] - f[4 - c], power = log((next[6 + c] - next[4 - c]) / now) / log(10.);
            valence[c] += now / power;
            assert_relative(valence[c], 1. + c, 1e-3, "%s at Q = %g", c ? "u - ubar" : "d - dbar", q);
        }
        assert_relative(momentum, 1., 1e-3, "momentum at Q = %g", q);
    }
    bg_pdf_close(pdf);
}

/* ---- names and places --------------------------------------------------------------------------------------------- */

static const char small_info[] = "Format: lhagrid1\nNumMembers: 9\nAlphaS_Type: ipol\nAlphaS_Qs: [1, 2, 4]\n"
                                 "AlphaS_Vals: [0.3, 0.2, 0.1]\n";
static const char small_grid[] =
    "Format: lhagrid1\n---\n1e-3 1e-2 1e-1 1\n1 2 4\n-1 21 1\n"
    "1 2 3\n1 2 3\n1 2 3\n4 5 6\n4 5 6\n4 5 6\n1 2 3\n1 2 3\n1 2 3\n0 0 0\n0 0 0\n0 0 0\n---\n"
    "1e-3 1e-2 1e-1 1\n4 8\n21\n1\n1\n2\n2\n3\n3\n0\n0\n---\n";

#define TOY_FOLDER TEST_DATA_DIR "/../../data/pdf"

static void same_set(const char *name)
{
    bg_pdf *built_in = open_set(NULL), *pdf = open_set(name);
    assert_string_equal(pdf->name, built_in->name);
    assert_int_equal(pdf->grid.doubles, built_in->grid.doubles);
    assert_memory_equal(pdf->block, built_in->block, (size_t)pdf->grid.doubles * sizeof *pdf->block);
    assert_true(strlen(pdf->file) > 0 && strlen(built_in->file) == 0);
    bg_pdf_close(built_in);
    bg_pdf_close(pdf);
}

/* A set S of small texts in a folder of its own. */
static void write_file(const char *folder, const char *name, const char *text, size_t length)
{
    char path[200];
    snprintf(path, sizeof path, "%s/S/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, length, f), length);
    fclose(f);
}

static void make_set(char *folder)
{
    char path[200];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/S", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    write_file(folder, "S.info", small_info, strlen(small_info));
    write_file(folder, "S_0000.dat", small_grid, strlen(small_grid));
    write_file(folder, "S_0002.dat", small_grid, strlen(small_grid));
}

static void remove_set(const char *folder)
{
    static const char *const names[] = {"S/S.info", "S/S_0000.dat", "S/S_0002.dat", "S", ""};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        remove(path);
    }
}

static void found(const char *name, int member)
{
    bg_pdf *pdf = open_set(name);
    assert_string_equal(pdf->name, "S");
    assert_int_equal(pdf->member, member);
    assert_int_equal(pdf->members, 9);
    bg_pdf_close(pdf);
}

static void places(void **state)
{
    (void)state;
    char text[1000], folder[] = "/tmp/blockgen-pdf-XXXXXX";
    bg_pdf *pdf;
    bg_error error;
    make_set(folder);
    unsetenv("LHAPATH");
    unsetenv("CONDA_PREFIX");
    setenv("LHAPDF_DATA_PATH", "/nowhere::/else", 1);
    bg_pdf_places(text, sizeof text);
    assert_string_equal(text, "/nowhere, /else, /usr/local/share/LHAPDF, /usr/share/LHAPDF");
    bg_pdf_places(text, 12);
    assert_string_equal(text, "/nowhere, /");
    assert_refused(bg_pdf_open(&pdf, "NoSuchSet", &error), &error, BG_ERROR_ARGUMENT,
                   "NoSuchSet|/nowhere|/else|/usr/share/LHAPDF");
    assert_null(pdf);
    snprintf(text, sizeof text, "/nowhere:%s", folder);
    setenv("LHAPDF_DATA_PATH", text, 1);
    found("S", 0);
    found("S:0", 0);
    found("S:2", 2);
    found("S/2", 2);
    found("S/0002", 2);
    assert_refused(bg_pdf_open(&pdf, "S:9", &error), &error, BG_ERROR_ARGUMENT, "member 9 of S|0 to 8");
    assert_refused(bg_pdf_open(&pdf, "S:1", &error), &error, BG_ERROR_IO, "cannot read|S_0001.dat");
    assert_refused(bg_pdf_open(&pdf, "S:1000000000", &error), &error, BG_ERROR_ARGUMENT, "6 digits");
    unsetenv("LHAPDF_DATA_PATH");
    assert_refused(bg_pdf_open(&pdf, "S", &error), &error, BG_ERROR_ARGUMENT, "no parton densities S");
    setenv("LHAPATH", folder, 1);
    found("S:2", 2);
    unsetenv("LHAPATH");
    setenv("CONDA_PREFIX", "/conda", 1);
    bg_pdf_places(text, sizeof text);
    assert_non_null(strstr(text, "/conda/share/LHAPDF"));
    unsetenv("CONDA_PREFIX");
    snprintf(text, sizeof text, "%s/S/", folder);
    found(text, 0);
    snprintf(text, sizeof text, "%s/S:2", folder);
    found(text, 2);
    same_set(TOY_FOLDER "/" BG_PDF_BUILT_IN);
    same_set(TOY_FOLDER "/" BG_PDF_BUILT_IN "/0");
    pdf = open_set(BG_PDF_BUILT_IN ":0");
    assert_string_equal(pdf->file, "");
    bg_pdf_close(pdf);
    assert_refused(bg_pdf_open(&pdf, BG_PDF_BUILT_IN ":1", &error), &error, BG_ERROR_ARGUMENT, "member 1|0 to 0");
    assert_refused(bg_pdf_open(&pdf, "/nowhere/Set:2", &error), &error, BG_ERROR_ARGUMENT, "/nowhere/Set/Set.info");
    assert_refused(bg_pdf_open(&pdf, "/", &error), &error, BG_ERROR_ARGUMENT, "no name");
    char *endless = test_malloc(5000);
    memset(endless, 'a', 4999);
    endless[4999] = '\0';
    assert_refused(bg_pdf_open(&pdf, endless, &error), &error, BG_ERROR_ARGUMENT, "4999");
    endless[300] = '\0';
    assert_refused(bg_pdf_open(&pdf, endless, &error), &error, BG_ERROR_ARGUMENT, "no name");
    test_free(endless);
    remove_set(folder);
}

/* Files as files: what is a folder, a zero byte. */
static void files(void **state)
{
    (void)state;
    char folder[] = "/tmp/blockgen-pdf-XXXXXX", set[64], path[128];
    bg_pdf *pdf;
    bg_error error;
    make_set(folder);
    snprintf(set, sizeof set, "%s/S", folder);
    write_file(folder, "S_0000.dat", "Format\0: lhagrid1", 17);
    assert_refused(bg_pdf_open(&pdf, set, &error), &error, BG_ERROR_IO, "S_0000.dat|zero byte");
    snprintf(path, sizeof path, "%s/S_0000.dat", set);
    remove(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused(bg_pdf_open(&pdf, set, &error), &error, BG_ERROR_IO, "cannot read|S_0000.dat");
    remove_set(folder);
}

/* ---- damaged texts ------------------------------------------------------------------------------------------------ */

static const char analytic_info[] = "Format: lhagrid1\nNumMembers: 9\nAlphaS_Type: analytic\nAlphaS_OrderQCD: 4\n"
                                    "AlphaS_Lambda4: 0.3\nAlphaS_Lambda5: 0.2\nMBottom: 4.5\n";

/* A text with `old` replaced by `new`; the n-th time that it occurs. */
static char *replaced(const char *text, const char *old, int n, const char *new)
{
    const char *at = strstr(text, old);
    while (n-- && at) at = strstr(at + 1, old);
    assert_non_null(at);
    char *made = test_malloc(strlen(text) + strlen(new) + 1);
    memcpy(made, text, (size_t)(at - text));
    strcpy(made + (at - text), new);
    strcat(made, at + strlen(old));
    return made;
}

static void refused(int in_info, const char *old, int n, const char *new, const char *parts)
{
    char *text = replaced(in_info ? small_info : small_grid, old, n, new);
    bg_pdf *pdf = NULL;
    bg_error error;
    const bg_status status = parse_texts(&pdf, in_info ? text : small_info, in_info ? small_grid : text, &error);
    if (status == BG_OK) fail_msg("accepted: '%s' for '%s'", new, old);
    assert_refused(status, &error, BG_ERROR_IO, parts);
    assert_null(pdf);
    test_free(text);
}

static void damaged_grids(void **state)
{
    (void)state;
    bg_pdf *pdf;
    bg_error error;
    if (parse_texts(&pdf, small_info, small_grid, &error) != BG_OK) fail_msg("%s", error.message);
    bg_pdf_close(pdf);
    char *windows = replaced(small_grid, "4 5 6\n", 0, "  4 5 6\r\n\t\r\n"); /* ends of lines as elsewhere */
    if (parse_texts(&pdf, small_info, windows, &error) != BG_OK) fail_msg("%s", error.message);
    bg_pdf_close(pdf);
    test_free(windows);
    refused(0, "---\n", 0, "", "made_0000.dat, line|begins no entry");
    refused(0, "1e-3 1e-2", 0, "1e-2 1e-3", "line 3|do not rise|0.001");
    refused(0, "1e-3 1e-2", 0, "1e-2 1e-2", "line 3|do not rise");
    refused(0, "1e-3", 0, "0", "line 3|knots in x|from");
    refused(0, "1e-3", 0, "-1e-3", "line 3|knots in x");
    refused(0, "1e-1 1\n", 0, "1e-1 1.5\n", "line 3|1.5|to 1");
    refused(0, "1e-3", 0, "nan", "line 3|'nan'|no number");
    refused(0, "1e-3", 0, "inf", "line 3|no number");
    refused(0, "1e-3", 0, "1e-3x", "line 3|'1e-3x'");
    refused(0, "1e-3 1e-2", 0, "1e-2", "line 3|3 knots in x|at least 4");
    refused(0, "1e-3", 1, "2e-3", "line 19|differ");
    refused(0, "1 2 4", 0, "1 4 2", "line 4|do not rise");
    refused(0, "1 2 4", 0, "1", "line 4|at least 2");
    refused(0, "1 2 4", 0, "0 2 4", "line 4|knots in Q");
    refused(0, "1 2 4", 0, "1 2 1e300", "line 4|knots in Q");
    refused(0, "1 2 4", 0, "1 2 3 4", "line 18|ends after 12 of 16");
    refused(0, "4 8", 0, "5 8", "line 20|begins at Q = 5|ends at 4");
    refused(0, "4 8", 0, "3 8", "line 20|begins at Q = 3");
    refused(0, "-1 21 1", 0, "-1 21 21", "line 5|two columns");
    refused(0, "-1 21 1", 0, "-1 21 1.5", "line 5|1.5|PDG");
    refused(0, "-1 21 1", 0, "22 23 6", "line 5|no column");
    refused(0, "-1 21 1", 0, "-1 21", "line 6|behind the 2 values");
    refused(0, "-1 21 1", 0, "-1 21 1 2", "line 6|3 values where 4");
    refused(0, "4 5 6", 1, "4 5", "line 10|2 values where 3");
    refused(0, "4 5 6", 1, "4 5 6 7", "line 10|'7' behind");
    refused(0, "4 5 6", 1, "4 NaN 6", "line 10|'NaN'");
    refused(0, "4 5 6", 1, "4 1e999 6", "line 10|'1e999'");
    refused(0, "4 5 6", 1, "4 1e200 6", "line 10|too large");
    refused(0, "4 5 6", 1, "4 five 6", "line 10|'five'");
    refused(0, "4 5 6\n", 1, "", "line 17|after 11 of 12");
    refused(0, "4 5 6\n", 1, "4 5 6\n4 5 6\n", "line 18|no line \"---\"");
    refused(0, "0\n---\n", 1, "0\n", "no line \"---\"");
    refused(0, "0\n---\n", 1, "0\n---\n\x01\x7f\n", "line 31|knots in x");
    refused(0, "0\n---\n", 1, "0\n---\n---\n", "line 31|'---'");
    refused(0, "Format: lhagrid1", 0, "Format: lhagrid2", "Format is 'lhagrid2'");
    refused(0, "Format: lhagrid1", 0, "\x89PNG\r\n", "line 1|begins no entry");
}

static void damaged_entries(void **state)
{
    (void)state;
    refused(1, "NumMembers: 9", 0, "NumMembers: 0", "made.info, line 2|NumMembers is '0'");
    refused(1, "NumMembers: 9", 0, "NumMembers: many", "line 2|'many'");
    refused(1, "NumMembers: 9", 0, "NumMembers: 9 9", "line 2|more than 1");
    refused(1, "NumMembers: 9", 0, "NumMembers:", "line 2|NumMembers is ''");
    refused(1, "ipol", 0, "ode", "line 3|'ode'|ipol and analytic");
    refused(1, "AlphaS_Type: ipol\n", 0, "", "no entry AlphaS_Type");
    refused(1, "AlphaS_Qs", 0, "AlphaS_Ks", "no entry AlphaS_Qs");
    refused(1, "[1, 2, 4]", 0, "[1, 2]", "2 AlphaS_Qs and 3 AlphaS_Vals");
    refused(1, "[1, 2, 4]", 0, "[]", "line 4|two knots");
    refused(1, "[1, 2, 4]", 0, "[1, 4, 2]", "line 4|do not rise");
    refused(1, "[1, 2, 4]", 0, "[1, 1, 2]", "line 4|single knot, 1");
    refused(1, "[1, 2, 4]", 0, "[1, 2, 2]", "line 4|single knot, 2");
    refused(1, "[1, 2, 4]", 0, "[0, 2, 4]", "line 4|0 in AlphaS_Qs");
    refused(1, "[1, 2, 4]", 0, "[1, nan, 4]", "line 4|'nan");
    refused(1, "[1, 2, 4]", 0, "[1, 2, 4", "line 4|'AlphaS_Vals"); /* the list goes on */
    refused(1, "0.3, 0.2", 0, "0.3, -0.2", "line 5|-0.2 in AlphaS_Vals");
    refused(1, "NumMembers: 9", 0, "NumMembers: 9\nForcePositive: 3", "line 3|ForcePositive");
    refused(1, "NumMembers: 9", 0, "NumMembers: 9\nInterpolator: cubic", "line 3|logcubic");
    refused(1, "NumMembers: 9", 0, "NumMembers: 9\nExtrapolator: nearest", "line 3|continuation");
    refused(1, "ipol", 0, "analytic", "AlphaS_Lambda");
    refused(1, "ipol", 0, "analytic\nAlphaS_Lambda5: 0.2", "AlphaS_OrderQCD");
    refused(1, "ipol", 0, "analytic\nAlphaS_Lambda5: 0.2\nAlphaS_OrderQCD: 7", "AlphaS_OrderQCD is '7'");
    refused(1, "ipol", 0, "analytic\nAlphaS_Lambda4: 0.3\nAlphaS_Lambda5: 0.2\nAlphaS_OrderQCD: 1", "no threshold");
    bg_pdf *pdf;
    bg_error error;
    char *info = replaced(small_info, "Format", 0, "Formula"), *grid = replaced(small_grid, "Format", 0, "Formula");
    assert_int_equal(parse_texts(&pdf, info, small_grid, &error), BG_OK); /* the member's own entry will do */
    bg_pdf_close(pdf);
    assert_refused(parse_texts(&pdf, info, grid, &error), &error, BG_ERROR_IO, "no entry Format");
    test_free(info);
    test_free(grid);
    assert_refused(bg_pdf_parse(&pdf, "s.info", small_info, "s_0009.dat", small_grid, 9, &error), &error,
                   BG_ERROR_ARGUMENT, "member 9|0 to 8");
}

/* Cut after every line, and after every character: nothing but the whole is accepted. The first subgrid alone is a whole. */
static void truncated(void **state)
{
    (void)state;
    const size_t length = strlen(small_grid);
    const size_t first = (size_t)(strstr(small_grid + 30, "---") - small_grid) + 3;
    char *text = test_malloc(length + 1);
    for (size_t cut = 0; cut < length - 1; cut++) { /* the end of the last line may miss */
        bg_pdf *pdf = NULL;
        bg_error error;
        memcpy(text, small_grid, cut);
        text[cut] = '\0';
        const bg_status status = parse_texts(&pdf, small_info, text, &error);
        if ((status == BG_OK) != (cut == first || cut == first + 1)) fail_msg("%zu of %zu bytes", cut, length);
        if (status != BG_OK) assert_true(status == BG_ERROR_IO && strstr(error.message, "made_0000.dat, line"));
        bg_pdf_close(pdf);
    }
    test_free(text);
}

/* Counts that no file keeps: refused before memory is asked for. */
static void huge(void **state)
{
    (void)state;
    enum { KNOTS = 10001 };
    char *text = test_malloc(40 * KNOTS);
    for (int knots = KNOTS - 1; knots <= KNOTS; knots++) {
        bg_pdf *pdf;
        bg_error error;
        size_t n = (size_t)sprintf(text, "Format: lhagrid1\n---\n");
        for (int k = 0; k < knots; k++) n += (size_t)sprintf(text + n, "%.8f ", (k + 1.) / KNOTS);
        n += (size_t)sprintf(text + n, "\n");
        for (int k = 0; k < knots; k++) n += (size_t)sprintf(text + n, "%d ", k + 1);
        sprintf(text + n, "\n21\n1\n");
        assert_refused(parse_texts(&pdf, small_info, text, &error), &error, BG_ERROR_IO,
                       knots == KNOTS ? "more than 10000 knots in x" : "10000 knots in x, 10000 in Q");
    }
    test_free(text);
}

/* Thousands of small changes to small files: they are refused with a place, or all that they then give is a number. */
static void mutations(void **state)
{
    (void)state;
    static const char *const pieces[] = {"---\n", "nan", "-", "1e308",       "\n",   " ", "[", "]",
                                         ":",     "#",   "0", "99999999999", "\xff", "e", "."};
    random_source r = fixed_source(6);
    int accepted = 0;
    char *text[2];
    for (int k = 0; k < 2; k++) text[k] = test_malloc(2 * sizeof small_grid);
    for (int run = 0; run < 6000; run++) {
        strcpy(text[0], run % 4 ? small_info : analytic_info);
        strcpy(text[1], small_grid);
        char *t = text[random_below(&r, 4) != 0];
        for (int changes = 1 + random_below(&r, 3); changes-- > 0;) {
            const int length = (int)strlen(t), at = length ? random_below(&r, length) : 0;
            const char *piece = pieces[random_below(&r, (int)(sizeof pieces / sizeof *pieces))];
            switch (length ? random_below(&r, 5) : 0) {
            case 0: /* something in between */
                memmove(t + at + strlen(piece), t + at, (size_t)(length - at) + 1);
                memcpy(t + at, piece, strlen(piece));
                break;
            case 1: t[at] = (char)(1 + random_below(&r, 255)); break;
            case 2: t[at] = '\0'; break;
            case 3: memmove(t + at, t + at + 1, (size_t)(length - at)); break;
            default: { /* a piece of the text itself, elsewhere */
                const int from = random_below(&r, length), most = length - (from > at ? from : at);
                memmove(t + at, t + from, (size_t)random_below(&r, most < 30 ? most + 1 : 30));
            }
            }
        }
        bg_pdf *pdf = NULL;
        bg_error error;
        const bg_status status = parse_texts(&pdf, text[0], text[1], &error);
        if (status != BG_OK) {
            assert_null(pdf);
            assert_non_null(strstr(error.message, "made"));
            continue;
        }
        accepted++;
        for (int k = 0; k < 20; k++) {
            double xf[BG_PDF_PARTONS];
            const double q2 = exp(uniform(&r, -5., 10.));
            pdf_xf(&pdf->grid, exp(uniform(&r, -9., 0.)), q2, xf);
            for (int c = 0; c < BG_PDF_PARTONS; c++) assert_true(xf[c] == xf[c]);
            {
                const double alpha = pdf_alpha_s(&pdf->grid, q2);
                assert_true(alpha == alpha);
            }
        }
        bg_pdf_close(pdf);
    }
    assert_true(accepted > 100 && accepted < 5000);
    for (int k = 0; k < 2; k++) test_free(text[k]);
}

/* ---- luminosities ------------------------------------------------------------------------------------------------- */

static void luminosities(void **state)
{
    (void)state;
    static const char *const processes[] = {"p p > 2j", "p p > 4j", "g g > 2g", "u d~ > u d~", "p p > 3j"};
    random_source r = fresh_source(7);
    bg_pdf *pdf = open_set(NULL);
    for (size_t k = 0; k < sizeof processes / sizeof *processes; k++) {
        bg_process *process;
        bg_error error;
        if (bg_process_parse(&process, processes[k], 5, BG_ALL_LINES, &error) != BG_OK) fail_msg("%s", error.message);
        bg_densities f;
        const double x1 = exp(uniform(&r, -9., -0.1)), x2 = exp(uniform(&r, -9., -0.1)), q2 = exp(uniform(&r, 4., 14.));
        densities_of(&pdf->grid, x1, x2, q2, &f);
        double one[BG_PDF_PARTONS];
        pdf_xf(&pdf->grid, x2, q2, one);
        assert_memory_equal(one, f.beam[1], sizeof one);
        for (int s = 0; s < process->count; s++) {
            const bg_channel *channel = process->channel + process->first[s];
            const size_t count = process->first[s + 1] - process->first[s];
            double sum[2] = {0., 0.};
            size_t channels = 0;
            for (size_t c = 0; c < count; c++) { /* x1 is that of leg 0 of the representative */
                const int other = channel[c].exchanged;
                sum[other] += f.beam[0][pdf_place(channel[c].in[other])] * f.beam[1][pdf_place(channel[c].in[!other])];
            }
            bg_pairs pairs;
            assert_int_equal(bg_pairs_create(&pairs, channel, count, &error), BG_OK);
            for (int p = 0; p < pairs.all; p++) channels += pairs.pair[p].channels;
            assert_int_equal(channels, count);
            const bg_luminosity l = luminosity_of(&pairs, &f);
            assert_relative(l.direct, sum[0], 1e-13, "%s, class %d", processes[k], s);
            assert_relative(l.exchanged, sum[1], 1e-13, "%s, class %d, exchanged", processes[k], s);
        }
        bg_process_destroy(process);
    }
    /* lanes */
    real x1, x2, q2, direct, exchanged;
    bg_densities f[BG_LANES];
    bg_pairs two;
    const bg_channel gg = {.in = {BG_PDG_GLUON, BG_PDG_GLUON}}, top = {.in = {6, 1}};
    bg_error error;
    assert_int_equal(bg_pairs_create(&two, &gg, 1, &error), BG_OK);
    for (int l = 0; l < BG_LANES; l++) {
        bg_set_lane(&x1, l, uniform(&r, 0.001, 0.9));
        bg_set_lane(&x2, l, uniform(&r, 0.001, 0.9));
        bg_set_lane(&q2, l, uniform(&r, 10., 1e6));
    }
    densities_lanes(&pdf->grid, x1, x2, q2, f);
    luminosity_lanes(&two, f, &direct, &exchanged);
    const real both = luminosity_gluons(&pdf->grid, x1, x2, q2), alpha = alpha_s_lanes(&pdf->grid, q2);
    for (int l = 0; l < BG_LANES; l++) {
        double xf[2][BG_PDF_PARTONS];
        pdf_xf(&pdf->grid, bg_lane(x1, l), bg_lane(q2, l), xf[0]);
        pdf_xf(&pdf->grid, bg_lane(x2, l), bg_lane(q2, l), xf[1]);
        assert_relative(bg_lane(both, l), xf[0][BG_PDF_GLUON] * xf[1][BG_PDF_GLUON], 1e-13, "two gluons");
        assert_relative(bg_lane(direct, l), bg_lane(both, l), 1e-13, "two gluons, as a class");
        assert_true(bg_lane(exchanged, l) == 0. && bg_lane(alpha, l) == pdf_alpha_s(&pdf->grid, bg_lane(q2, l)));
    }
    assert_refused(bg_pairs_create(&two, &top, 1, &error), &error, BG_ERROR_ARGUMENT, "6 and 1");
    bg_pdf_close(pdf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interpolation),   cmocka_unit_test(nonsense),      cmocka_unit_test(positivity),
        cmocka_unit_test(facts),           cmocka_unit_test(lhapdf),        cmocka_unit_test(analytic_coupling),
        cmocka_unit_test(published_table), cmocka_unit_test(sum_rules),     cmocka_unit_test(places),
        cmocka_unit_test(files),           cmocka_unit_test(damaged_grids), cmocka_unit_test(damaged_entries),
        cmocka_unit_test(truncated),       cmocka_unit_test(huge),          cmocka_unit_test(mutations),
        cmocka_unit_test(luminosities),
    };
    return cmocka_run_group_tests_name("pdf", tests, NULL, NULL);
}
