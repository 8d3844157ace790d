// cmd_doctor: reports what disturbs measurements on this machine.
#include "command.h"

#include <stdio.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "base/terminal.h"
#include "bilanx/doctor.h"
#include "doctor_report.h"

struct doctor_arguments {
    bool json;
    bool quick;
    int color;
};

static const struct option doctor_options[] = {
    {"json", 0, OPTION_FLAG, offsetof(struct doctor_arguments, json),
     .help = "print one JSON object (docs/formats/doctor.md)"},
    {"quick", 0, OPTION_FLAG, offsetof(struct doctor_arguments, quick),
     .help = "skip measuring, which takes five seconds or more"},
    {"color", 0, OPTION_CHOICE, offsetof(struct doctor_arguments, color),
     .choices = terminal_color_words,
     .help = "colour output (auto: on a terminal, unless\n"
             "NO_COLOR is set)"},
    {0},
};

static const struct option_rule doctor_rules[] = {
    {"json", RULE_EXCLUDES, "color", .why = "programs read that"},
    {0},
};

static void show_progress(void *context, double share)
{
    (void)context;
    fprintf(stderr, "\rmeasuring, leave the machine alone: %3.0f %%", share * 100);
    fflush(stderr);
}

static void erase_progress(void)
{
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

static size_t text_columns(void)
{
    size_t width = terminal_width(STDOUT_FILENO);
    return width > 80 || width == 0 ? 80 : width < 50 ? 50 : width;  // long lines are hard to read
}

static struct bilanx_error measure(struct bilanx_doctor *doctor)
{
    struct bilanx_doctor_options options = {0};
    bool terminal = isatty(STDERR_FILENO);
    if (terminal)
        options.progress = show_progress;
    struct bilanx_error error = bilanx_doctor_measure(&options, doctor);
    if (terminal)
        erase_progress();
    return error;
}

static int report(const struct doctor_arguments *arguments, struct bilanx_doctor *doctor)
{
    bool color = terminal_color(arguments->color, STDOUT_FILENO);
    size_t width = text_columns();
    AUTO(text) struct text out = {0};
    bilanx_doctor_examine(NULL, doctor);
    size_t looked = doctor->finding_count;
    if (!arguments->json) {
        // Print before measuring, so that there is something to read meanwhile.
        doctor_text_findings(doctor, 0, color, width, &out);
        fputs(text_get(&out), stdout);
        fflush(stdout);
        text_clear(&out);
    }
    if (!arguments->quick) {
        struct bilanx_error error = measure(doctor);
        if (error.status != BILANX_OK)
            return complain_error(error);
    }
    if (arguments->json) {
        doctor_json(doctor, &out);
    } else {
        doctor_text_findings(doctor, looked, color, width, &out);
        doctor_text_summary(doctor, color, width, &out);
    }
    fputs(text_get(&out), stdout);
    return EXIT_DONE;
}

static int run_doctor(const struct command *command, int argc, char **argv)
{
    struct doctor_arguments arguments = {0};
    AUTO(words) struct words words = {0};
    int code = command_parse(command, argc, argv, &arguments, &words);
    if (code != EXIT_DONE)
        return code;
    if (words.count)
        return complain_error(
            bilanx_error_make(BILANX_E_USAGE, "doctor takes no arguments: '%s'", words.items[0]));
    interrupt_catch();
    struct bilanx_doctor doctor = {0};
    code = report(&arguments, &doctor);
    bilanx_doctor_done(&doctor);
    return code;
}

static const struct example doctor_examples[] = {
    {"bilanx doctor", "inspect, then measure for some seconds"},
    {"bilanx doctor --quick", "inspect only"},
    {"bilanx doctor --json > machine.json", "to store with the results"},
    {0},
};

const struct command cmd_doctor = {
    .name = "doctor",
    .only_prints = true,
    .usage = "[OPTION...]",
    .summary = "find what disturbs measurements on this machine, and how to fix it",
    .options = doctor_options,
    .rules = doctor_rules,
    .examples = doctor_examples,
    .details = "Each finding is marked good, know (worth knowing) or fix, with the command that\n"
               "fixes it. doctor itself changes nothing. It exits with 0 whatever it finds.\n",
    .run = run_doctor,
};
