/** A whole number for people: `1,234`. By hand, since the first use of Intl costs a short command 10 ms. */
export function grouped(value: number): string {
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
