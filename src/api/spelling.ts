/** Finds the names that were probably meant: those that are spelled almost like the typed one. */

/**
 * The words that are spelled almost like `word`, the nearest first. One mistake is allowed for every three letters, at least one
 * and at most three.
 */
export function nearest(word: string, words: readonly string[]): string[] {
  const lower = word.toLowerCase()
  const letterCount = Array.from(word).length
  const maxDistance = Math.max(1, Math.min(3, Math.floor(letterCount / 3)))
  return (
    words
      // A word with many more or fewer letters is too far away. Counting is quicker than comparing.
      .filter(
        (candidate) => Math.abs(Array.from(candidate).length - letterCount) <= maxDistance,
      )
      .map((candidate) => ({
        candidate,
        distance: editDistance(lower, candidate.toLowerCase()),
      }))
      .filter(({ distance }) => distance <= maxDistance)
      .toSorted((one, other) => one.distance - other.distance)
      .map(({ candidate }) => candidate)
  )
}

/**
 * How many letters to add, drop, replace or swap with their neighbor to make one word of the other: the Damerau-Levenshtein
 * distance in its restricted form, where no letter changes twice.
 */
function editDistance(left: string, right: string): number {
  const a = Array.from(left)
  const b = Array.from(right)
  /** Row r, column c: the distance between the first r letters of `a` and the first c letters of `b`. */
  const rows: number[][] = []
  const distance = (row: number, column: number) => rows[row]?.[column] ?? Infinity
  for (let row = 0; row <= a.length; row += 1) {
    const distances: number[] = []
    rows.push(distances)
    for (let column = 0; column <= b.length; column += 1) {
      if (row === 0 || column === 0) {
        distances.push(row + column)
        continue
      }
      const replaceCost = a[row - 1] === b[column - 1] ? 0 : 1
      const ways = [
        distance(row - 1, column) + 1,
        distance(row, column - 1) + 1,
        distance(row - 1, column - 1) + replaceCost,
      ]
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (isSwap) ways.push(distance(row - 2, column - 2) + 1)
      distances.push(Math.min(...ways))
    }
  }
  return distance(a.length, b.length)
}
