/** Verbs, their options, and what they print. */
export const commands = []
