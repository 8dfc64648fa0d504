/** A size for people: `1.2 MB`. */
export function humanSize(size: number): string {
  if (!(size >= 1000)) return `${size} B`
  const units = ['kB', 'MB', 'GB', 'TB', 'PB']
  let value = size / 1000
  let unit = 0
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000
    unit += 1
  }
  return `${value < 9.95 ? value.toFixed(1) : value.toFixed(0)} ${units[unit] ?? ''}`
}
