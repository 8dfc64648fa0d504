/**
 * Formats of files of ids, as `--input-format` takes them; `auto` is found out from the first bytes (`detect.ts`). Without imports, because
 * options and completion name them at every start.
 */
export const inputFormats = ['auto', 'lines', 'csv', 'xlsx', 'json', 'ndjson'] as const

export type InputFormat = Exclude<(typeof inputFormats)[number], 'auto'>
