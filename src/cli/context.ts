/**
 * One command line's state: global options and settings, the lazily loaded API, and the way from a verb's action to
 * printed output. Everything here serves `run`, which turns an action into what commander calls.
 */
import type { Writable } from 'node:stream'
import type { Command } from '@commander-js/extra-typings'
import type { Api } from '../api/client.ts'
import { createBulk } from '../bulk/bulk.ts'
import type { BulkTools } from '../bulk/tools.ts'
import { exit, SvcError, usageError } from '../errors.ts'
import type { Host, Signal } from '../host.ts'
import type { Http } from '../http/client.ts'
import type { Messages } from '../output/stderr.ts'
import type { BulkOutput, Format, OutcomeRow, PrintOptions, View } from '../output/result.ts'
import type { Question } from '../output/prompt.ts'
import type { Redactor } from '../output/redact.ts'
import type { Configuration, GlobalOptions, Profile } from '../config/profile.ts'
import type { Run, RunOptions, Shown, Tools } from './verb.ts'
import { assignReceiptView, outcomeView, receiptView } from '../resources/bulk.ts'
import { version } from '../version.ts'

export interface Session {
  readonly messages: Messages
  readonly run: Run
  /** Writes or bulk runs under way: a signal lets them end. */
  readonly critical: number
  exitCode: number
  /** Text of ours to stdout. */
  write(text: string): Promise<void>
  /** The help of the noun that was typed alone, on stderr; exit code 2. */
  showHelpAsError(help: string): number
  close(): Promise<void>
}

export function createSession(
  host: Host,
  messages: Messages,
  redactor: Redactor,
  soft: AbortSignal,
  hard: AbortSignal,
  caught: () => Signal | undefined,
): Session {
  let critical = 0
  let http: Promise<Http> | undefined
  let api: Promise<Api> | undefined
  let configuration: Promise<Configuration> | undefined

  async function during<T>(work: () => Promise<T>): Promise<T> {
    critical += 1
    try {
      return await work()
    } finally {
      critical -= 1
    }
  }

  function readConfiguration(options: GlobalOptions): Promise<Configuration> {
    configuration ??= import('../config/profile.ts').then(({ readConfiguration }) => readConfiguration(host, options))
    return configuration
  }

  /** Opens the door for a profile. */
  async function open(profile: Profile, configured: Configuration, retries?: number): Promise<Http> {
    const [secret, { createHttp }] = await Promise.all([profile.secret(), import('../http/client.ts')])
    redactor.hide(secret)
    const { settings } = configured
    const door = createHttp({
      profile: profile.name,
      baseUrl: profile.baseUrl,
      apiKey: profile.apiKey,
      secret,
      version,
      host,
      timeout: settings.timeout.value,
      retries: retries ?? settings.retries.value,
      maxRetryWait: settings.maxRetryWait.value,
      verbose: () => messages.verbose,
      log: (level, line) => {
        messages.log(level, line)
      },
      warn: (text) => {
        messages.warn(text)
      },
      soft,
      hard,
      during,
    })
    return door
  }

  async function printOptions<T>(view: View<T>, options: GlobalOptions, lenient: boolean): Promise<PrintOptions> {
    const [{ checkFields, formatsOf }, { colorLevel, builtInSettings }] = await Promise.all([
      import('../output/choice.ts'),
      import('../config/profile.ts'),
    ])
    const configured = lenient
      ? await readConfiguration(options).catch(() => undefined)
      : await readConfiguration(options)
    const settings = configured?.settings ?? builtInSettings(host, options)
    if (settings.color.value === 'never') messages.color = false
    const formats = formatsOf(view)
    const asked = askedFormat(options)
    const fallback = view.defaultFormat ?? 'table'
    if (asked !== undefined && !formats.includes(asked)) {
      throw usageError(`this command has no format "${asked}"`, `it has: ${formats.join(', ')}`)
    }
    // From the environment or a file a format is a wish: a command that lacks it uses its own default.
    const wished = settings.output.source === 'built-in' ? fallback : settings.output.value
    const format = asked ?? (formats.includes(wished) ? wished : fallback)
    // A wish for JSON is one for JSON errors too; what a command does by itself is not.
    const wishedJson =
      format === wished && settings.output.source !== 'built-in' && (format === 'json' || format === 'ndjson')
    if (options.errorFormat === undefined && asked === undefined && wishedJson) messages.format = 'json'
    if (options.fields !== undefined && format === 'ids') throw usageError('--fields does not go with -o ids')
    const terminal = host.isTerminal.stdout
    return {
      format,
      fields: options.fields === undefined ? undefined : checkFields(view, options.fields, format),
      header: options.header !== false,
      csvRaw: options.csvRaw === true,
      jsonRaw: options.jsonRaw === true,
      truncate: options.truncate !== false,
      utc: settings.utc.value,
      color: colorLevel(settings.color.value, host.env, terminal),
      width: terminal ? (host.columns() ?? 80) : undefined,
      now: host.now(),
    }
  }

  function tools(options: GlobalOptions, print: PrintOptions): Tools {
    const configured = (): Promise<Configuration> => readConfiguration(options)

    async function openHttp(): Promise<Http> {
      const settled = await configured()
      const profile = settled.profile()
      for (const note of settled.notes) messages.note(note)
      return open(profile, settled)
    }

    const made: BulkTools & Tools = {
      host,
      options,
      print,
      configuration: configured,
      http: () => (http ??= openHttp()),
      api: () =>
        (api ??= Promise.all([made.http(), import('../api/client.ts')]).then(([door, { createApi }]) =>
          createApi(door),
        )),
      open: async (profile, retries) => open(profile, await configured(), retries),
      get bulk() {
        return createBulk(made)
      },
      note: (text) => {
        messages.note(text)
      },
      warn: (text) => {
        messages.warn(text)
      },
      async confirm(question: Question) {
        if (options.yes === true) return
        const terminal = options.input === false ? undefined : host.terminal()
        if (terminal === undefined) {
          throw new SvcError('confirm', `confirmation needed: ${question.message}`, {
            hint:
              options.input === false
                ? '--no-input: nothing was asked and nothing was sent; --yes answers yes'
                : 'there is no terminal to ask on; --yes answers yes',
          })
        }
        try {
          const { ask } = await import('../output/prompt.ts')
          if (!(await ask(question, terminal, soft))) throw new SvcError('confirm', 'declined; nothing was sent')
        } finally {
          terminal.close()
        }
      },
      async confirmProtected(what) {
        const profile = (await configured()).profile()
        if (!profile.protected) return
        await made.confirm({ kind: 'yes-no', message: `${what} on the protected profile "${profile.name ?? ''}"?` })
      },
      signal: soft,
      hardSignal: hard,
      during,
      messages,
      caught,
      version,
      async progress(label, total) {
        const wanted = (await configured()).settings.progress.value
        const isWanted = wanted === 'bar' || (wanted === 'auto' && host.isTerminal.stderr)
        // A dumb terminal draws nothing; it gets a line now and then.
        const drawn = host.env['TERM'] === 'dumb' ? 'lines' : 'bar'
        const mode =
          options.quiet === true || wanted === 'none' ? 'none' : wanted === 'json' ? 'json' : isWanted ? drawn : 'none'
        const { createProgress } = await import('../output/progress.ts')
        const progress = await createProgress(mode, { stderr: host.stderr, total, label, host, color: print.color })
        if (mode === 'none') return progress
        messages.through((line) => {
          progress.log(line)
        })
        return {
          ...progress,
          stop() {
            progress.stop()
            messages.through(undefined)
          },
        }
      },
      async writeReceipts(stream, format, operation, receipts) {
        const { print: write } = await import('../output/render.ts')
        const view = operation === 'tickets.assign' ? assignReceiptView : receiptView
        await write({ kind: 'rows', rows: receipts }, view, { ...plainPrint, format }, silent(stream))
      },
    }
    return made
  }

  const session: Session = {
    messages,
    get critical() {
      return critical
    },
    exitCode: 0,
    run<A extends unknown[], T>(
      view: View<T>,
      action: (tools: Tools, ...args: A) => Promise<Shown<T>> | Shown<T>,
      runOptions: RunOptions<A> = {},
    ) {
      return async (...args: A): Promise<void> => {
        const command = args.at(-1) as Command
        const options = rootOf(command).opts() as GlobalOptions
        applyMessageOptions(messages, options)
        const lenient = runOptions.lenient === true
        const bulkView = runOptions.bulk?.(...args)
        const print =
          runOptions.plain === true
            ? plainOptions(options)
            : await (bulkView === undefined
                ? printOptions(view, options, lenient)
                : printOptions(bulkView, options, lenient))
        const output = await action(tools(options, print), ...args)
        const { print: write, OutputClosed } = await import('../output/render.ts')
        const streams = {
          stdout: host.stdout,
          note: (text: string) => {
            messages.note(text)
          },
          summary: (document: unknown) => {
            messages.summary(document)
          },
        }
        try {
          session.exitCode = await (output.kind === 'bulk'
            ? write(output as BulkOutput<OutcomeRow>, bulkView ?? outcomeView, print, streams)
            : write(output, (output.kind === 'rows' ? output.view : undefined) ?? view, print, streams))
        } catch (error) {
          // The reader of a pipe went away: a read ends quietly, a bulk run with the code of its ending.
          if (!(error instanceof OutputClosed)) throw error
          session.exitCode = error.exitCode ?? 0
        }
      }
    },
    async write(text) {
      const { writeText } = await import('../output/sink.ts')
      await writeText(host.stdout, text)
    },
    showHelpAsError(help) {
      host.stderr.write(help)
      return exit.usage
    },
    async close() {
      const door = await http?.catch(() => undefined)
      door?.close()
    },
  }
  return session
}

function silent(stdout: Writable) {
  return { stdout, note: () => undefined, summary: () => undefined }
}

const plainPrint: PrintOptions = {
  format: 'table',
  fields: undefined,
  header: true,
  csvRaw: false,
  jsonRaw: false,
  truncate: false,
  utc: false,
  color: 0,
  width: undefined,
  now: 0,
}

/** For commands that print text of ours and nothing else. */
function plainOptions(options: GlobalOptions): PrintOptions {
  const asked = askedFormat(options)
  if (asked !== undefined && asked !== 'table')
    throw usageError(`this command has no format "${asked}"`, 'it prints plain text')
  return plainPrint
}

function rootOf(command: Command): Command {
  let root: Command = command
  while (root.parent !== null) root = root.parent as Command
  return root
}

function askedFormat(options: GlobalOptions): Format | undefined {
  const output = options.output as Format | undefined
  if (options.json !== true) return output
  if (output !== undefined && output !== 'json') throw usageError(`--json and -o ${output} contradict each other`)
  return 'json'
}

function applyMessageOptions(messages: Messages, options: GlobalOptions): void {
  messages.quiet = options.quiet === true
  messages.jsonRaw = options.jsonRaw === true
  messages.verbose = options.verbose ?? 0
  if (options.quiet === true && messages.verbose > 0) throw usageError('-q and -v contradict each other')
}
