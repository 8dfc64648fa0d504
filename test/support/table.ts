/** Cases as a string: a line is a row, and `|` separates its cells. */
export function table(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => line.split('|').map((cell) => cell.trim()))
}
