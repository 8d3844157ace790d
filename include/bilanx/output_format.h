// output_format: how results are printed.
//
//     enum bilanx_output_format format = BILANX_MARKDOWN;
#ifndef BILANX_OUTPUT_FORMAT_H
#define BILANX_OUTPUT_FORMAT_H

enum bilanx_output_format {
    BILANX_TABLE,     // aligned columns, for a terminal
    BILANX_MARKDOWN,  // a table for a pull request
    BILANX_CSV,       // plain numbers, for a spreadsheet or a program
    BILANX_JSON,
};

#endif
