/**
 * The time by which it is judged whether a request whose answer was lost can still land. It is the service's, as a fresh answer
 * tells it: this machine's clock may be wrong, and may jump.
 */
import type { Api } from '../../api/client.ts'
import { requestCanLand } from '../../api/limits.ts'
import { SvcError } from '../../errors.ts'
import type { Host } from '../../host.ts'

export interface LandingTime {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Milliseconds beyond the time of a request: none by the service's clock, 6 minutes by this machine's. */
  readonly margin: number
}

/** As of the last answer. Before any answer everything can still land. */
export function landingTime({ client }: Api, host: Pick<Host, 'now'>): LandingTime {
  const time = client.clock.time
  if (time === undefined) return { now: 0, margin: 0 }
  return time === null ? { now: host.now(), margin: requestCanLand } : { now: time, margin: 0 }
}

interface Asked {
  readonly api: () => Promise<Api>
  readonly host: Pick<Host, 'now'>
  readonly note: (text: string) => void
}

/** Reads one answer for its time; a refusal tells it as well. Throws what keeps the service from answering. */
export async function readLandingTime({ api, host, note }: Asked): Promise<LandingTime> {
  const asked = await api()
  try {
    await asked.lists.page({ page: 1, limit: 1 })
  } catch (error) {
    const isAnswered = error instanceof SvcError && error.details.httpStatus !== undefined
    if (!isAnswered || asked.client.clock.time === undefined) throw error
  }
  const time = landingTime(asked, host)
  if (time.margin > 0) {
    note(
      `the answers of the service have no Date: whether a lost request can still take effect is told by this machine's clock, and takes 12 minutes`,
    )
  }
  return time
}
