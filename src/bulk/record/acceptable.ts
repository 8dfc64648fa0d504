/** Outcomes that can be told to count as done. Apart from the events, whose schemas a command line need not load. */
export const acceptable = ['not-found', 'blocked', 'missing', 'undetermined'] as const
