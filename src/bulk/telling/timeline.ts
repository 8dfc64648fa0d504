/** When a run's requests were sent, from its journal, in few enough buckets to be drawn. Pure. */
import type { RunTimeline } from '../../output/formats/run-page.ts'
import type { JournalEvent } from '../record/events.ts'

const mostBuckets = 60
/** Milliseconds without a request in flight that are worth a mention. */
const shortestPause = 1000
/** Where the run was resumed: more lines than that would hide the bars. */
const mostResumed = 20

const emptyBucket = () => ({ first: 0, retries: 0, paused: 0 })
type Bucket = ReturnType<typeof emptyBucket>

export class Timeline {
  #buckets: Bucket[] = []
  /** Of a bucket, in milliseconds: doubled whenever there are too many. */
  #width = 50
  #start: number | undefined
  /** Milliseconds between sessions, which are left out. */
  #between = 0
  /** Of the latest event, from the start. */
  #now = 0
  #inFlight = 0
  /** Since when no request is in flight; undefined before the first one of a session. */
  #idleSince: number | undefined
  readonly #resumed: number[] = []
  #requests = 0
  #retries = 0
  readonly #pauses = { count: 0, total: 0, longest: 0 }

  take(event: JournalEvent): void {
    this.#start ??= event.at
    const at = event.at - this.#start
    if (event.t === 'resume') this.#resume(at)
    // The clock of a machine may be set back.
    this.#now = Math.max(this.#now, at - this.#between)
    if (event.t === 'try') this.#send(event.a > 1)
    else if (event.t === 'read') this.#count('first', 1)
    else if (event.t === 'isolated') this.#count('first', event.calls)
    else if (event.t === 'res') this.#inFlight = Math.max(0, this.#inFlight - 1)
    if (event.t !== 'begin' && event.t !== 'resume' && this.#inFlight === 0) this.#idleSince = this.#now
  }

  result(): RunTimeline {
    const duration = this.#now
    return {
      start: this.#start ?? 0,
      duration,
      width: this.#width,
      buckets: this.#buckets,
      resumed: this.#resumed.slice(0, mostResumed),
      requests: this.#requests,
      retries: this.#retries,
      pauses: this.#pauses,
    }
  }

  #resume(at: number): void {
    this.#between = Math.max(this.#between, at - this.#now)
    this.#inFlight = 0
    this.#idleSince = undefined
    if (this.#requests > 0) this.#resumed.push(this.#now)
  }

  #send(isRetry: boolean): void {
    if (this.#inFlight === 0) this.#pause(this.#idleSince ?? this.#now)
    this.#inFlight += 1
    this.#idleSince = undefined
    if (isRetry) this.#retries += 1
    this.#count(isRetry ? 'retries' : 'first', 1)
  }

  #count(what: 'first' | 'retries', count: number): void {
    this.#requests += count
    this.#bucket(this.#now)[what] += count
  }

  #pause(from: number): void {
    const length = this.#now - from
    if (length < shortestPause) return
    this.#pauses.count += 1
    this.#pauses.total += length
    this.#pauses.longest = Math.max(this.#pauses.longest, length)
    this.#bucket(this.#now)
    for (let at = from; at < this.#now;) {
      const end = Math.min(this.#now, (Math.floor(at / this.#width) + 1) * this.#width)
      this.#bucket(at).paused += end - at
      at = end
    }
  }

  #bucket(at: number): Bucket {
    while (at >= mostBuckets * this.#width) this.#halve()
    const index = Math.floor(at / this.#width)
    while (this.#buckets.length <= index) this.#buckets.push(emptyBucket())
    return this.#buckets[index] ?? emptyBucket()
  }

  /** Half as many buckets, each twice as wide. */
  #halve(): void {
    this.#width *= 2
    const all = this.#buckets
    this.#buckets = []
    all.forEach((bucket, i) => {
      const wide = (this.#buckets[i >> 1] ??= emptyBucket())
      for (const what of ['first', 'retries', 'paused'] as const) wide[what] += bucket[what]
    })
  }
}
