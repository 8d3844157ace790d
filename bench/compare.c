// compare: generates records for bench/compare, and parses them with jansson alone.
//
//     compare generate COUNT TABLES >FILE      compare parse FILE
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/scope.h"

enum { TIMES = 10, COLUMNS = 10 };

static void generate(size_t count, size_t tables)
{
    struct random random;
    random_init(&random, count);
    for (size_t i = 0; i < count; i++) {
        size_t row = i / COLUMNS / tables;
        printf("{\"schema\":\"bilanx/1\",\"kind\":\"measurement\",\"task\":{\"stmt\":\"f(x, %zu)\","
               "\"label\":\"table %zu\",\"sub_label\":\"row %zu\",\"description\":\"column %zu\","
               "\"num_threads\":1},\"number_per_run\":1000,\"raw_times\":[",
               row, i / COLUMNS % tables, row, i % COLUMNS);
        double time = (double)(row % 1000 + 1) * 1e-6 * (1 + random_unit(&random));
        for (size_t j = 0; j < TIMES; j++)
            printf("%s%.17g", j ? "," : "", time * (1 + 0.05 * random_unit(&random)));
        printf("]}\n");
    }
}

static int parse(const char *path)
{
    AUTO(file) FILE *file = fopen(path, "re");
    AUTO(memory) char *line = NULL;
    size_t room = 0, values = 0;
    for (ssize_t size; file && (size = getline(&line, &room, file)) >= 0;) {
        json_t *record = json_loadb(line, (size_t)size, 0, NULL);
        values += json_object_size(record);
        json_decref(record);
    }
    return values == 0;
}

int main(int argc, char **argv)
{
    if (argc == 4 && strcmp(argv[1], "generate") == 0)
        generate(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10));
    else if (argc == 3 && strcmp(argv[1], "parse") == 0)
        return parse(argv[2]);
    else
        return 2;
    return 0;
}
