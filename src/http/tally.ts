/** How many attempts a client made, by what came of them. */
export class RequestTally {
  /** By HTTP status; `none` where no answer came. */
  readonly statuses = new Map<string, number>()
  retries = 0

  count(status: number | undefined): void {
    const key = String(status ?? 'none')
    this.statuses.set(key, (this.statuses.get(key) ?? 0) + 1)
  }
}
