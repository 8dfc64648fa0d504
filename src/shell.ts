/** A word as a POSIX shell takes it, for commands that are shown to be typed. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_./@:+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
