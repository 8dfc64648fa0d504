/** What a file of ids may be; without imports, for options and completion name them. */
export const inputFormats = ['auto', 'lines', 'csv', 'xlsx', 'json', 'ndjson'] as const

export type InputFormat = Exclude<(typeof inputFormats)[number], 'auto'>
