/**
 * Tables of cases as strings: a line is a row, and `|` separates its cells. See
 * `test/runs/summary.test.ts`.
 */
export function table(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => line.split('|').map((cell) => cell.trim()))
}
