/** The file of `--metrics-file`, for Prometheus' textfile collector: always whole, and never a success that was none. */
import { randomBytes } from 'node:crypto'
import { chmodSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { usageError } from '../errors.ts'
import { fileError } from '../errno.ts'

/** What is known of a job; times in milliseconds since 1970. */
export interface JobMetrics {
  readonly operation: string
  readonly startedAt: number
  /** Undefined while it runs. */
  readonly end?: {
    readonly at: number
    readonly exitCode: number
    readonly durationMs: number
    /** Counts by outcome; undefined when no run came about. */
    readonly ids: Readonly<Record<string, number>> | undefined
    /** Counts by status; `none` where no answer came. */
    readonly requests: ReadonlyMap<string, number>
    readonly retries: number
  }
}

type Labels = Readonly<Record<string, string>>

const [startTime, endTime, successTime] = ['start', 'end', 'success'].map(
  (what) => `svc_run_last_${what}_timestamp_seconds`,
) as [string, string, string]
const mark = `# HELP ${startTime} `

export class MetricsFile {
  readonly #path: string
  readonly #job: string
  /** In seconds, of the runs before this one. */
  #lastEnd: string | undefined
  #lastSuccess: string | undefined

  /** Throws exit 2 for a name that the collector would not read, and for a file that is something else. */
  constructor(path: string) {
    if (!path.endsWith('.prom') || basename(path) === '.prom')
      throw usageError(`--metrics-file takes a file whose name ends in .prom; got "${path}"`)
    this.#path = path
    this.#job = basename(path, '.prom')
    const before = readBefore(path)
    this.#lastEnd = valueOf(before, endTime)
    this.#lastSuccess = valueOf(before, successTime)
  }

  /** Throws exit 10 when it cannot be written: then what was there before is still there, whole. */
  write(metrics: JobMetrics): void {
    const { startedAt, operation, end } = metrics
    const labels = { job: this.#job, operation }
    if (end !== undefined) {
      this.#lastEnd = seconds(end.at)
      if (end.exitCode === 0) this.#lastSuccess = seconds(end.at)
    }
    const text = [
      gauge(startTime, 'When the last run began.', [[labels, seconds(startedAt)]]),
      gauge(endTime, 'When the last run that came to an end ended.', [[labels, this.#lastEnd]]),
      gauge(successTime, 'When the last run that ended with exit code 0 ended.', [[labels, this.#lastSuccess]]),
      ...(end === undefined ? [] : endOf(labels, end)),
    ].join('')
    const draft = `${this.#path}.${randomBytes(8).toString('hex')}.part`
    try {
      writeFileSync(draft, text, { flag: 'wx', mode: 0o644, flush: true })
      // Whatever the umask takes away: the collector is another user.
      chmodSync(draft, 0o644)
      renameSync(draft, this.#path)
    } catch (error) {
      rmSync(draft, { force: true })
      throw fileError('local', `the metrics cannot be written to "${this.#path}"`, error)
    }
  }
}

function endOf(labels: Labels, { exitCode, durationMs, ids, requests, retries }: NonNullable<JobMetrics['end']>) {
  const outcomes = Object.entries(ids ?? {}).map(([outcome, count]) => [{ ...labels, outcome }, String(count)] as const)
  const statuses = [...requests].map(([status, count]) => [{ ...labels, status }, String(count)] as const)
  return [
    gauge('svc_run_exit_code', 'How the last run ended; absent while one runs and when it was killed.', [
      [labels, String(exitCode)],
    ]),
    gauge('svc_run_duration_seconds', 'How long the last run took.', [[labels, seconds(durationMs)]]),
    gauge('svc_run_ids', 'Ids of the last run by outcome.', outcomes),
    metric('counter', 'svc_requests_total', 'Attempts of requests of the last run by HTTP status.', statuses),
    metric('counter', 'svc_retries_total', 'Attempts after the first of the last run.', [[labels, String(retries)]]),
  ]
}

const seconds = (ms: number): string => (Math.round(ms) / 1000).toFixed(3)

type Samples = readonly (readonly [Labels, string | undefined])[]

const gauge = (name: string, help: string, samples: Samples): string => metric('gauge', name, help, samples)

/** A metric in the text format of exposition; nothing without a sample. */
function metric(type: 'gauge' | 'counter', name: string, help: string, samples: Samples): string {
  const lines = samples.flatMap(([labels, value]) => {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`)
    return value === undefined ? [] : [`${name}{${pairs.join(',')}} ${value}\n`]
  })
  return lines.length === 0 ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/** What an earlier run wrote; nothing when there is none. Throws exit 2 for anything else. */
function readBefore(path: string): string {
  try {
    const status = lstatSync(path, { throwIfNoEntry: false })
    if (status === undefined) return ''
    if (!status.isFile()) throw usageError(`the metrics file "${path}" is not a file`, 'name another one')
    const text = readFileSync(path, 'utf8')
    if (text === '' || text.startsWith(mark)) return text
    throw usageError(`"${path}" is not a metrics file of svc, and is left as it is`, 'name another one')
  } catch (error) {
    throw fileError('usage', `the metrics file "${path}" cannot be read`, error)
  }
}

/** The value of a metric's first sample, as it was written. */
function valueOf(text: string, name: string): string | undefined {
  return new RegExp(`^${name}\\{.*\\} (\\d+(?:\\.\\d+)?)$`, 'm').exec(text)?.[1]
}
