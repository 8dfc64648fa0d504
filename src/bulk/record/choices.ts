/** Outcomes that options name. Apart from the journal's schemas, which are too much to load for help. */

/** Outcomes that `runs retry` opens again. */
export const reopenable = ['error', 'unknown', 'undetermined', 'not-attempted'] as const

/** Outcomes that can be told to count as done. */
export const acceptable = ['not-found', 'blocked', 'missing', 'undetermined'] as const
