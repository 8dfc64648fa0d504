/** Formats of files of ids; without imports, for options and completion name them. */
export const inputFormats = ['auto', 'lines', 'csv', 'xlsx', 'json', 'ndjson'] as const

export type InputFormat = Exclude<(typeof inputFormats)[number], 'auto'>
