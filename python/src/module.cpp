// The extension blockgen._core: what the Python files of the package stand on. It has no interface of its own to rely on.
#include "core.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

// The table of options, a dictionary each.
static nb::list options()
{
    static const char *const kinds[] = {"choice", "flag", "integer", "count", "real", "text"};
    nb::list all;
    for (int k = 0; bg_option_at(k); k++) {
        const bg_option *o = bg_option_at(k);
        nb::list values;
        for (int v = 0; o->values && o->values[v]; v++) values.append(o->values[v]);
        nb::dict d;
        d["name"] = o->name;
        d["integration"] = o->owner == BG_OPTION_OF_INTEGRATION;
        d["kind"] = kinds[o->kind];
        d["group"] = o->group;
        d["values"] = values;
        d["argument"] = o->argument ? o->argument : "";
        d["low"] = o->low;
        d["high"] = o->high;
        d["standard"] = o->standard;
        d["help"] = o->help;
        all.append(d);
    }
    return all;
}

static nb::list classes(const Process &process)
{
    nb::list all;
    for (int k = 0; k < bg_process_classes(process.get()); k++) {
        bg_process_class c;
        bg_error error;
        bg_process_class_init(&c);
        check(bg_process_class_at(process.get(), k, &c, &error), error);
        nb::list pdg;
        for (int leg = 0; leg < 2 + c.n_out; leg++) pdg.append(c.pdg[leg]);
        nb::dict d;
        d["process"] = c.name;
        d["pdg"] = nb::tuple(pdg);
        d["gluons"] = c.gluons;
        d["quark_lines"] = c.quark_lines;
        d["channels"] = c.channels;
        all.append(d);
    }
    return all;
}

static nb::list backends()
{
    nb::list all;
    for (int k = 0; bg_backend_name(k); k++) {
        bg_backend_info info;
        bg_error error;
        bg_status status;
        bg_backend_info_init(&info);
        {
            const nb::gil_scoped_release free; // a driver may take its time
            status = bg_backend_describe(bg_backend_name(k), &info, &error);
        }
        check(status, error);
        nb::dict d;
        d["name"] = info.name;
        d["usable"] = info.usable != 0;
        d["threads"] = info.threads;
        d["devices"] = info.usable ? info.devices : 0;
        d["has_devices"] = (info.capabilities & BG_CAN_CHOOSE_DEVICE) != 0;
        d["description"] = info.description;
        all.append(d);
    }
    return all;
}

NB_MODULE(_core, m)
{
    nb::set_leak_warnings(false); // an interpreter that ends with objects alive is nothing to tell users about
    m.attr("version") = bg_version();
    m.attr("version_string") = bg_version_string();
    m.attr("built_in_pdf") = BG_BUILT_IN_PDF;
    m.attr("all_lines") = BG_ALL_LINES;
    m.def("options", options);
    m.def("backends", backends);
    m.def("built_with", [](const char *part) { return bg_built_with(part) > 0; });
    nb::class_<Process>(m, "Process")
        .def(nb::init<std::string, int, int>(), nb::arg("text"), nb::arg("flavors"), nb::arg("quark_lines"))
        .def_ro("text", &Process::text)
        .def_prop_ro("n_out", [](const Process &p) { return bg_process_n_out(p.get()); })
        .def_prop_ro("is_open", [](const Process &p) { return bg_process_is_open(p.get()) != 0; })
        .def_prop_ro("has_protons", [](const Process &p) { return bg_process_has_protons(p.get()) != 0; })
        .def("classes", classes);
    bind_evaluator(m);
    bind_integrate(m);
    bind_generate(m);
}
