/** The network between a process and the service: by the dice, requests and answers are lost, late, doubled, cut or refused. */
import { operations } from '../../src/api/operations.ts'
import { results } from '../../src/api/schemas.ts'
import { connectionError } from '../../src/http/connection-errors.ts'
import type { Exchange, Exchanged, Wire, WireRequest } from '../../src/world.ts'
import type { Answer } from '../../src/sandbox/exchange.ts'
import type { Dice } from './dice.ts'
import type { SimulatedProcess } from './process.ts'
import { halfOf, type Sent } from './service.ts'
import type { World } from './world.ts'

/** One request on its way. */
interface Passage {
  readonly dice: Dice
  /** It reads, and changes nothing. */
  readonly isRead: boolean
  /** Ids that it names. */
  readonly sent: readonly string[]
  /** The request, or half of its ids, comes to the service after `ms`, whether or not anybody still waits for its answer. */
  land(ms: number, then?: (answer: Answer) => void, part?: 'half'): void
  /** The process is told this after `ms`; `isGood`: it is the service's own answer, whole. */
  tell(ms: number, answer: Answer, isGood: boolean): void
  /** The service's answer to another request, of any process, that cannot be taken for the answer to this one. */
  another(): Answer | undefined
  /** The connection breaks after `ms`. */
  fail(ms: number, code: string): void
  /** The answer comes a second time after `ms`. */
  double(ms: number, answer: Answer): void
}

const hop = (dice: Dice): number => dice.skewed(2, 60)
const minutes = 60_000
const reset = (passage: Passage): void => {
  // Else only the deadline ends it.
  if (passage.dice.chance(0.6))
    passage.fail(passage.dice.skewed(5, 2000), passage.dice.pick(resets))
}
const resets = ['ECONNRESET', 'UND_ERR_SOCKET', 'EPIPE', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']

/** A clock of its own, as gateways, proxies and caches have; not each time. */
function clockHeaders(dice: Dice): Answer['headers'] {
  if (dice.chance(0.4)) return {}
  const date = new Date(dice.whole(0, 4_000_000_000_000)).toUTCString()
  const age = dice.chance(0.5) ? { age: dice.pick(['0', '900', '86400', '-5', 'old']) } : {}
  return { date, ...age }
}

/**
 * Whether the answer to another request differs from any to this one: it has another shape, or is about something else. An answer to a
 * creation repeats nothing of what was sent, and bulk results can be alike.
 */
function isForeign(sent: Sent, other: Sent): boolean {
  if (sent.operation === undefined || other.operation === undefined) return false
  if (operations[sent.operation].path.includes('{') && sent.operation === other.operation)
    return isSingleThing(sent) && other.ids.join() !== sent.ids.join()
  const [shape, otherShape] = [sent.operation, other.operation].map((name) => results[name])
  return shape !== otherShape
}

/** Its path names all that it is about. */
const isSingleThing = ({ operation, ids, path }: Sent): boolean =>
  operation !== undefined && ids.length > 0 && ids.every((id) => path.toLowerCase().includes(id))

const pages = [
  ['text/html', '<h1>gateway</h1>'],
  ['text/html', '<html><body>Please sign in</body></html>'],
  ['application/json', '{"code":50000,"message":"upstream"}'],
  ['application/json', '{"data":{}}'],
  ['text/plain', ''],
] as const

/** An answer of a gateway, which says nothing about the request. */
function gateway({ dice }: Passage): Answer {
  const status = dice.pick([500, 502, 503, 503, 504, 408, 302, 200])
  const later = dice.chance(0.3) ? { 'retry-after': String(dice.pick([0, 1, 5, 90])) } : {}
  const [type, body] = dice.pick(pages)
  return {
    status,
    headers: { 'content-type': type, ...later, ...clockHeaders(dice) },
    body: Buffer.from(body),
  }
}

/** Members of an answer's `data` that say what was done, by their kind. */
function membersOf(data: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(data)
  return {
    counts: entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
    arrays: entries.filter((entry): entry is [string, string[]] => Array.isArray(entry[1])),
    texts: entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  }
}

/** A whole answer that names what was not sent, or one id twice, or does not add up. `sent`: ids of the request. */
function misleading(text: string, sent: readonly string[], dice: Dice): string {
  const document = JSON.parse(text) as { data?: Readonly<Record<string, unknown>> }
  const { data = {} } = document
  const { counts, arrays, texts } = membersOf(data)
  const withData = (members: object): string =>
    JSON.stringify({ ...document, data: { ...data, ...members } })
  const echoes = texts.filter(([, id]) => sent.includes(id.toLowerCase()))
  const [first] = counts
  if (arrays.length === 0 || first === undefined || dice.chance(0.3)) {
    if (echoes.length > 0) return withData({ [dice.pick(echoes)[0]]: dice.hex(24) })
    if (first === undefined) return text
    const [name, count] = dice.pick(counts)
    return withData({ [name]: Math.max(0, count + dice.pick([-1, 1, 7])) })
  }
  const [count, number] = first
  const [name, ids] = dice.pick(arrays)
  const others = arrays.filter(([other]) => other !== name).flatMap(([, each]) => each)
  const added = dice.pick([[dice.hex(24)], others.slice(0, 1), ids.slice(0, 1)])
  return withData({ [count]: number - 1, [name]: [...ids, ...added] })
}

/** The answer as something in between has spoiled it. */
function spoiled(answer: Answer, sent: readonly string[], dice: Dice): Answer {
  const text = answer.body.toString()
  if (dice.chance(0.05))
    return { ...answer, headers: { ...answer.headers, 'content-encoding': 'gzip' } }
  const cut = text.slice(0, dice.whole(0, text.length - 1))
  const others = ['{}', 'null', '<html>sign in</html>', '{"data":{}}', '['.repeat(200), `${text}]`]
  const body = dice.chance(0.6) ? misleading(text, sent, dice) : dice.pick([cut, ...others])
  const noText = Buffer.from(dice.chance(0.05) ? [0xff] : [])
  return { ...answer, body: Buffer.concat([Buffer.from(body === text ? '' : body), noText]) }
}

/** The answer as the service may give it too: ids in capitals, fields that nobody knows, a time that is none. */
function unusual(answer: Answer, dice: Dice): Answer {
  const text = answer.body.toString()
  const body = dice.pick([
    text.replaceAll(/"[0-9a-f]{24}"/g, (id) => id.toUpperCase()),
    text.replace(/^\{/, '{"later":[{"notFoundIds":7}],'),
  ])
  return {
    ...answer,
    headers: { ...answer.headers, date: dice.pick(['', 'never']) },
    body: Buffer.from(body),
  }
}

/** Faults of the network, by name. */
const fates = {
  fine(passage) {
    passage.land(hop(passage.dice), (answer) => passage.tell(hop(passage.dice), answer, true))
  },
  slow(passage) {
    const { dice } = passage
    passage.land(dice.skewed(50, 8000), (answer) =>
      passage.tell(dice.skewed(50, 8000), answer, true),
    )
  },
  requestLost: reset,
  late(passage) {
    passage.land(passage.dice.skewed(500, 12 * minutes))
    reset(passage)
  },
  answerLost(passage) {
    passage.land(hop(passage.dice))
    reset(passage)
  },
  spoiled(passage) {
    passage.land(hop(passage.dice), (answer) => {
      const isOne = answer.status < 300 && answer.body.length > 0
      passage.tell(
        hop(passage.dice),
        isOne ? spoiled(answer, passage.sent, passage.dice) : gateway(passage),
        false,
      )
    })
  },
  gatewayAlone: (passage) => passage.tell(hop(passage.dice), gateway(passage), false),
  gatewayAfter(passage) {
    passage.land(hop(passage.dice), () => passage.tell(hop(passage.dice), gateway(passage), false))
  },
  gatewayBefore(passage) {
    passage.land(passage.dice.skewed(200, 12 * minutes))
    passage.tell(hop(passage.dice), gateway(passage), false)
  },
  /** A proxy or a cache gives the answer to a request of somebody else, of any process. */
  mixedUp(passage) {
    const { dice } = passage
    if (dice.chance(0.5)) passage.land(dice.skewed(2, 4 * minutes))
    const other = passage.another()
    if (other === undefined) return reset(passage)
    const headers = { ...other.headers, ...clockHeaders(dice) }
    passage.tell(dice.skewed(2, 9000), { ...other, headers }, false)
  },
  throttled(passage) {
    const { dice } = passage
    const headers = dice.chance(0.7) ? { 'retry-after': String(dice.pick([0, 1, 2, 20])) } : {}
    passage.tell(
      hop(dice),
      {
        status: 429,
        headers: { ...headers, ...clockHeaders(dice) },
        body: Buffer.from('{"code":42900,"message":"slow"}'),
      },
      false,
    )
  },
  refused(passage) {
    const [status, code] = passage.dice.pick([
      [400, 40_001],
      [401, 40_121],
      [403, 40_361],
      [404, 40_400],
      [422, 42_200],
    ] as const)
    const body = Buffer.from(
      passage.dice.chance(0.8) ? JSON.stringify({ code, message: 'no' }) : '<html>no</html>',
    )
    const headers = clockHeaders(passage.dice)
    passage.tell(hop(passage.dice), { status, headers, body }, false)
  },
  /** A gateway sends it a second time, which nobody learns; and now and then nobody learns of the first time either. */
  repeated(passage) {
    const { dice } = passage
    const isTold = dice.chance(0.5)
    const rest = dice.skewed(5, 4 * minutes)
    passage.land(hop(dice), (answer) => {
      if (answer.status < 300) passage.land(rest)
      if (isTold) passage.tell(hop(dice), answer, true)
    })
    if (!isTold) reset(passage)
  },
  halved(passage) {
    passage.land(
      hop(passage.dice),
      () => passage.tell(hop(passage.dice), gateway(passage), false),
      'half',
    )
  },
  unusual(passage) {
    const { dice, isRead } = passage
    passage.land(hop(dice), (answer) =>
      passage.tell(hop(dice), isRead ? answer : unusual(answer, dice), true),
    )
  },
  /** Not an answer to a reading: svc promises nothing then. */
  doubled(passage) {
    passage.land(hop(passage.dice), (answer) => {
      const ms = hop(passage.dice)
      passage.tell(ms, answer, true)
      if (!passage.isRead) passage.double(ms + passage.dice.whole(0, 19), answer)
    })
  },
} satisfies Record<string, (passage: Passage) => void>

/** How often each befalls a request; `unsent`: no byte of it leaves. */
export type Weather = Readonly<Record<keyof typeof fates | 'unsent', number>>

const bad = Object.keys(fates).filter((name): name is keyof typeof fates => name !== 'fine')

/** `bad`: how many of a hundred requests something befalls. */
export function weather(dice: Dice, hundredths: number): Weather {
  const kinds = dice.some([...bad, 'unsent' as const], dice.whole(2, bad.length + 1))
  const none = Object.fromEntries([...bad, 'unsent', 'fine'].map((name) => [name, 0])) as Record<
    keyof Weather,
    number
  >
  // An answer can be spoiled in many ways.
  const share = (kind: keyof Weather): number => (kind === 'spoiled' ? 3 : 1)
  const shares = kinds.reduce((sum, kind) => sum + share(kind), 0)
  for (const kind of kinds) none[kind] = (hundredths * share(kind)) / shares
  return { ...none, fine: 100 - hundredths }
}

/** A connection that is kept for the next request. */
interface Connection {
  idleSince: number
  /** Bytes that nobody asked for come at this moment. */
  stray?: { readonly at: number; readonly answer: Answer } | undefined
}

export class SimulatedWire implements Wire {
  readonly #world: World
  readonly #process: SimulatedProcess
  readonly #dice: Dice
  #idle: Connection[] = []
  #isClosed = false

  constructor(world: World, process: SimulatedProcess, dice: Dice) {
    this.#world = world
    this.#process = process
    this.#dice = dice
  }

  close(): void {
    this.#isClosed = true
  }

  exchange(request: WireRequest, deadline: number, signal: AbortSignal): Promise<Exchanged> {
    const dice = this.#dice.fork()
    const { clock, service, weather } = this.#world
    return new Promise((resolve) => {
      const its = service.prepare(this.#process, request)
      this.#process.countRequest(its)
      let hasLeft = false
      const connection = this.#take(request.minIdle)
      const end = (exchange: Exchange, told: Sent['told'], answer?: Answer): void => {
        for (const timer of timers) timer.cancel()
        signal.removeEventListener('abort', abort)
        const retryAfter = Number(answer?.headers['retry-after'])
        const toldAt = clock.now()
        Object.assign(its, { told, toldAt, status: answer?.status, retryAfter })
        resolve({
          exchange,
          release: (isTrusted) =>
            this.#release(connection, isTrusted && request.minIdle !== Infinity),
        })
      }
      const fail = (code: string): void => {
        const error = connectionError(
          code === 'ETIMEDOUT' ? `no complete answer within ${deadline / 1000} s` : code,
          code,
        )
        end({ kind: 'failed', sent: hasLeft, error }, hasLeft ? 'lost' : 'unsent')
      }
      const abort = (): void => fail('SVC_ABORTED')
      const timers = [clock.after(deadline, () => fail('ETIMEDOUT'), this.#process)]
      signal.addEventListener('abort', abort, { once: true, signal: this.#process.over.signal })
      if (this.#isClosed || signal.aborted) return abort()
      const later = (ms: number, work: () => void): void =>
        void timers.push(clock.after(ms, work, this.#process))
      const tell = (answer: Answer, isGood: boolean): void => {
        const { status, body } = answer
        const headers = this.#world.hasDate
          ? answer.headers
          : { ...answer.headers, date: undefined }
        const isRefused = status >= 400 && status < 500 && status !== 408
        end(
          { kind: 'response', status, headers, body },
          isRefused ? 'refused' : isGood ? 'answered' : 'lost',
          answer,
        )
      }
      const fate = dice.weighted(weather)
      later(dice.whole(0, 3), () => {
        if (fate === 'unsent')
          return later(dice.skewed(1, 9000), () => fail(dice.pick(['ECONNREFUSED', 'EAI_AGAIN'])))
        hasLeft = true
        service.send(its)
        if (connection.stray !== undefined) {
          const { at, answer } = connection.stray
          later(at - clock.now(), () => tell(answer, false))
        }
        fates[fate]({
          dice,
          isRead: request.method === 'GET',
          sent: [...its.ids, ...Object.values(its.parties)],
          land: (ms, then, part) => {
            service.underWay += 1
            void clock.after(ms, () => {
              service.underWay -= 1
              void service
                .land(its, part === 'half' ? halfOf(request) : request)
                .then((answer) => its.told === 'nothing' && then?.(answer))
            })
          },
          another: () => {
            const others = service.answers.filter(({ sent: other }) => isForeign(its, other))
            return others.length === 0 ? undefined : dice.pick(others).answer
          },
          tell: (ms, answer, isGood) => later(ms, () => tell(answer, isGood)),
          fail: (ms, code) => later(ms, () => fail(code)),
          double: (ms, answer) => {
            connection.stray = { at: clock.now() + ms, answer }
          },
        })
      })
    })
  }

  #take(minIdle: number): Connection {
    const now = this.#world.clock.now()
    // One on which bytes came that nobody asked for was closed.
    this.#idle = this.#idle.filter(({ stray }) => stray === undefined || stray.at > now)
    const rested = this.#idle.find(({ idleSince }) => now - idleSince >= minIdle)
    this.#idle = this.#idle.filter((connection) => connection !== rested)
    return rested ?? { idleSince: 0 }
  }

  #release(connection: Connection, isKept: boolean): void {
    if (!isKept || this.#isClosed) return
    connection.idleSince = this.#world.clock.now()
    this.#idle.push(connection)
  }
}
