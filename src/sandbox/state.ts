/**
 * A sandbox's two companies: made from a seed, then changed as the lines of the file of `--data` say: by requests, and by the third
 * person of `--others`. A change is in the file before it is answered, and the same changes at the same times lead to the same data.
 * `transport.ts` makes one for a sandbox, the simulator one without a file; `service.ts` tells it of each change.
 */
import type { OperationName } from '../api/operations.ts'
import { messageOf, SvcError, systemCode, usageError } from '../errors.ts'
import { isObject } from '../values.ts'
import type { Host } from '../host.ts'
import { Company } from './company.ts'
import type { Call } from './input.ts'
import type { Move } from './record.ts'
import { seedCompany } from './seed/company.ts'
import { day, type SeedOptions } from './ids.ts'

const format = 'svc-sandbox/2'

/** First line of a data file. */
interface Header extends SeedOptions {
  readonly format: typeof format
}

/** A request that changed something. */
interface RequestLine extends Pick<Call, 'ids' | 'now'> {
  readonly company: number
  readonly operation: OperationName
  readonly body: string
  readonly move?: undefined
}

/** A change of the third person. */
interface MoveLine {
  readonly company: number
  readonly move: Move
  readonly now: number
}

type Change = RequestLine | MoveLine

export interface StateOptions {
  readonly seed?: number | undefined
  /** Default 5000. */
  readonly contacts?: number | undefined
  /** No contacts, lists, tickets and employees. */
  readonly empty?: boolean | undefined
  /** File of the data; without it, they end with the sandbox. */
  readonly data?: string | undefined
}

type StateHost = Pick<Host, 'disk' | 'now'>

/** The companies of a sandbox, as its data file has them: the options of the first start, then each change since. */
export class State {
  readonly seeding: SeedOptions
  readonly companies: readonly Company[]
  readonly #host: StateHost
  readonly #path: string | undefined

  /** Throws a usage error for a data file that is foreign, was made with other options, or cannot be written. */
  constructor(host: StateHost, options: StateOptions) {
    const { data, seed = 1, contacts = 5000, empty = false } = options
    this.#host = host
    this.#path = data
    const fresh: Header = {
      format,
      seed,
      contacts,
      empty,
      epoch: Math.floor(host.now() / day) * day,
    }
    const unsaved = { header: fresh, changes: [] }
    const { header, changes } = data === undefined ? unsaved : openFile(host, data, fresh)
    checkHeader(header, options)
    this.seeding = header
    this.companies = [0, 1].map((number) => new Company(seedCompany(header, number)))
    for (const change of changes) {
      const company = this.companies[change.company]
      if (change.move !== undefined) company?.move(change.move, change.now)
      else company?.[change.operation](callOf(change))
    }
  }

  /** To be called after every change of a request. */
  keep(company: Company, operation: OperationName, { ids, rawBody, now }: Call): void {
    const body = Buffer.from(rawBody).toString()
    this.#append({
      company: this.companies.indexOf(company),
      operation,
      ids,
      body,
      now,
    })
  }

  /** To be called after every change of the third person. */
  keepMove(company: Company, move: Move, now: number): void {
    this.#append({
      company: this.companies.indexOf(company),
      move,
      now,
    })
  }

  #append(change: Change): void {
    if (this.#path !== undefined) this.#host.disk.appendFileSync(this.#path, lineOf(change))
  }
}

function callOf({ ids, body, now }: RequestLine): Call {
  return {
    ids,
    now,
    rawBody: Buffer.from(body),
    query: new URLSearchParams(),
    contentType: 'application/json',
    limitedHistory: false,
  }
}

/** The content of a data file. */
interface DataFile {
  readonly header: Header
  readonly changes: readonly Change[]
}

const lineOf = (value: Header | Change): string => `${JSON.stringify(value)}\n`

/** The lines of a data file, which begins as `fresh` when there is none. A line that a crash has torn is cut off. */
function openFile({ disk }: StateHost, path: string, fresh: Header): DataFile {
  try {
    if (!disk.existsSync(path)) disk.writeFileSync(path, lineOf(fresh), { flag: 'wx', mode: 0o600 })
    const text = disk.readFileSync(path, 'utf8')
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const lines = whole.split('\n').filter((line) => line !== '')
    const [header, ...changes] = lines.map((line): unknown => JSON.parse(line))
    if (isHeader(header)) {
      if (whole !== text) disk.truncateSync(path, Buffer.byteLength(whole))
      // The sandbox wrote them itself.
      return { header, changes: changes as Change[] }
    }
  } catch (error) {
    // Not JSON is not ours either.
    if (!(error instanceof SyntaxError)) {
      const code = systemCode(error)
      // It was not there a moment ago: a network disk lost the answer to its creation, or another sandbox made it.
      throw new SvcError(
        code === 'EEXIST' ? 'local' : 'usage',
        `the sandbox's data file "${path}" cannot be used: ${code ?? messageOf(error)}`,
      )
    }
  }
  throw usageError(
    `"${path}" is not a data file of the sandbox`,
    'name another file, or remove this one to start over',
  )
}

function isHeader(value: unknown): value is Header {
  return isObject(value) && value['format'] === format
}

/** Options must be those of the file, or the ids would not be those that the person expects. */
function checkHeader(header: Header, { seed, contacts, empty, data }: StateOptions): void {
  const typed = {
    seed,
    contacts,
    empty: empty === true ? true : undefined,
  }
  for (const name of ['seed', 'contacts', 'empty'] as const) {
    if (typed[name] === undefined || typed[name] === header[name]) continue
    throw usageError(
      `"${data ?? ''}" was made with ${name} ${String(header[name])}, not ${String(typed[name])}`,
      `leave out --${name}, or name another file`,
    )
  }
}
