/**
 * One process at a time works on a run. A session is a file `session.<n>` in the run's folder, created exclusively and written once: lock, fence
 * and history in one. The last one holds the run until it says `ended`, its process is known to be gone, or its modification time has not
 * changed for a minute. `bulk/session.ts` takes one for everything that changes a run, and `bulk/record/runs.ts` reads the last one.
 *
 * A successor removes the earlier files before it reads the run, and a holder reads its own file between the sync of a line and its request:
 * so a successor sees the line of every request that leaves.
 */
import { join } from 'node:path'
import * as v from 'valibot'
import { keptError } from '../errno.ts'
import { SvcError, systemCode } from '../errors.ts'
import type { Host } from '../host.ts'
import { say, svc } from '../message.ts'
import type { DiskHost, Timer } from '../world.ts'
import { comparePlaces, Place, readPlace, startOf, type PlaceHost } from './place.ts'
import { readRegular } from './trust.ts'
import { Draft, newToken, syncFolder } from './whole.ts'

export type ClaimHost = PlaceHost &
  Pick<Host, 'monotonic' | 'randomBytes' | 'sleep' | 'every'>

export interface ClaimOptions {
  /** Begins messages: `run 20260301T101500Z-7f3a`. */
  readonly what: string
  readonly run?: string | undefined
  /** A holder that may be alive is watched for a minute. */
  readonly takeOver?: boolean | undefined
  /** Ends the minute; `take` then rejects with its reason. */
  readonly signal?: AbortSignal | undefined
  readonly onWait?: ((holder: string) => void) | undefined
}

/** In milliseconds: how often a holder sets its file's time, and how it is watched. */
const beatEvery = 10_000
const watchFor = 60_000
const lookEvery = 5_000
/** Times of a file that differ by less can be one time, rounded twice. */
const shortestBeat = 2_000
/** If another process was faster: the wait in milliseconds, and the most attempts. */
const retryEvery = 100
const mostAttempts = 50

const Mark = v.object({
  place: Place,
  pid: v.number(),
  /** Start of the process; empty where it cannot be seen. */
  start: v.string(),
  token: v.string(),
  takeOver: v.boolean(),
})

type Mark = v.InferOutput<typeof Mark>

export class Claim {
  readonly number: number
  /** A part of the names of this session's drafts. */
  readonly token: string
  /** A holder before this one may still be alive: batches without an accepted answer are ambiguous. */
  readonly isTakenOver: boolean
  readonly #host: ClaimHost
  readonly #path: string
  readonly #text: string
  readonly #options: ClaimOptions
  readonly #beat: Timer
  #loss: SvcError | undefined

  private constructor(
    { host, options }: Contender,
    number: number,
    path: string,
    { text, mark }: { readonly text: string; readonly mark: Mark },
  ) {
    this.number = number
    this.token = mark.token
    this.isTakenOver = mark.takeOver
    this.#host = host
    this.#path = path
    this.#text = text
    this.#options = options
    let beat = host.now()
    this.#beat = host.every(
      beatEvery,
      () => {
        // A clock that is set back must not stop the file's time.
        beat = Math.max(beat + beatEvery, host.now())
        const failed = (): void => undefined
        void host.disk.promises.utimes(path, beat / 1000, beat / 1000).catch(failed)
      },
      'weak',
    )
  }

  /**
   * Takes the next session of the run in `dir`. Throws exit 11 when another process holds it, exit 10 when the disk fails, exit 2 when this
   * user may not.
   */
  static async take(host: ClaimHost, dir: string, options: ClaimOptions): Promise<Claim> {
    const contender = { host, dir, options, here: readPlace(host) }
    const { what, run, signal } = options
    try {
      let taken = 0
      for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
        // A list of a network disk may be old: a number that was refused is there.
        const last = Math.max(taken, ...sessionNumbers(host, dir))
        const seat = await admit(contender, last)
        const claim = seat && (await Claim.#create(contender, last + 1, seat.takeOver))
        if (claim !== undefined) return claim
        if (seat !== undefined) taken = last + 1
        await host.sleep(retryEvery, signal)
      }
    } catch (error) {
      if (signal?.aborted === true || systemCode(error) === undefined) throw error
      throw keptError(`${what} cannot be claimed: ${dir}`, error).with({ run })
    }
    throw busy(
      options,
      `${what} is being claimed by other processes`,
      'run the command again',
    )
  }

  /** Undefined when somebody else was quicker. */
  static async #create(
    contender: Contender,
    number: number,
    takeOver: boolean,
  ): Promise<Claim | undefined> {
    const { host, dir, here } = contender
    const start = startOf(host, host.pid)
    const mark = { place: here, pid: host.pid, start, token: newToken(host), takeOver }
    const text = `${JSON.stringify(mark)}\n`
    const path = sessionPath(dir, number)
    try {
      const file = await Draft.create(host, path)
      await file.write(Buffer.from(text))
      await file.close()
    } catch (error) {
      if (systemCode(error) === 'EEXIST') return undefined
      throw error
    }
    await syncFolder(host, dir)
    const numbers = sessionNumbers(host, dir)
    if (Math.max(...numbers) > number) return undefined
    const claim = new Claim(contender, number, path, { text, mark })
    try {
      for (const earlier of numbers) {
        if (earlier >= number) continue
        claim.check()
        await host.disk.promises.rm(sessionPath(dir, earlier), { force: true })
      }
      await syncFolder(host, dir)
      return claim
    } catch (error) {
      claim.release()
      throw error
    }
  }

  /**
   * To be called before each line, rename and removal, and between the sync of a `try` and its request. Throws exit 11 when this session's
   * file is not there with exactly what was written, and whenever it has thrown before.
   */
  check(): void {
    if (this.#loss !== undefined) throw this.#loss
    const { what, run } = this.#options
    try {
      if (readSession(this.#host, this.#path)?.text === this.#text) return
    } catch (error) {
      const words = `the session of ${what} cannot be read: ${this.#path}`
      throw (this.#loss = keptError(words, error).with({ run }))
    }
    const sent = 'nothing more was sent from here'
    const hint =
      run === undefined ? sent : say`${sent}; see the run with:\n  ${svc`runs show ${run}`}`
    const message = `${what} was taken over by another process`
    throw (this.#loss = new SvcError('busy', message, { hint, run }))
  }

  /** Ends the session; with an exit code its file says so, and the next one has nothing to ask. Never throws. */
  release(exitCode?: number): void {
    this.#beat.cancel()
    if (exitCode === undefined || this.#loss !== undefined) return
    const { disk } = this.#host
    try {
      this.check()
      const { O_WRONLY, O_APPEND, O_NOFOLLOW } = disk.constants
      const file = disk.openSync(this.#path, O_WRONLY | O_APPEND | O_NOFOLLOW)
      disk.writeSync(file, Buffer.from(`ended ${exitCode}\n`))
      disk.closeSync(file)
    } catch {
      // Without the word the next one waits until this process is gone.
    }
  }
}

/** A process that wants to be the holder. */
interface Contender {
  readonly host: ClaimHost
  readonly dir: string
  readonly here: Place
  readonly options: ClaimOptions
}

/** The holder of a run. `free`: the last holder is known to be gone. */
export type LastSession =
  | { readonly kind: 'none' }
  | { readonly kind: 'free'; readonly takeOver: boolean }
  | { readonly kind: 'ended'; readonly exitCode: number; readonly at: number }
  | {
      readonly kind: 'held'
      /** In words: `process 4711 on "desk-7"`. */
      readonly holder: string
      /** Without `takeOver` too, the next one watches it for a minute. */
      readonly isWatched: boolean
    }

/** Looks at the last session, and takes none. Throws the system's error. */
export function lastSession(host: PlaceHost, dir: string): LastSession {
  const last = Math.max(0, ...sessionNumbers(host, dir))
  const file = last === 0 ? undefined : readSession(host, sessionPath(dir, last))
  return file === undefined ? { kind: 'none' } : judge(host, readPlace(host), file)
}

function judge(host: PlaceHost, here: Place, { text, beat }: SessionFile): LastSession {
  const [, line = '', exitCode] = /^(.*)\n(?:ended (\d{1,3})\n)?$/.exec(text) ?? []
  if (exitCode !== undefined) return { kind: 'ended', exitCode: Number(exitCode), at: beat }
  const mark = parseMark(line)
  if (mark === undefined)
    return { kind: 'held', holder: 'an unknown process', isWatched: true }
  const where = comparePlaces(mark.place, here)
  if (where === 'same') {
    const start = startOf(host, mark.pid)
    const isOther = start !== '' && mark.start !== '' && start !== mark.start
    if (start === 'gone' || isOther) return { kind: 'free', takeOver: mark.takeOver }
  }
  const on = where === 'same' || mark.place.host === null ? '' : ` on "${mark.place.host}"`
  const when = where === 'other boot' ? ' (before a restart)' : ''
  const holder = `process ${mark.pid}${on}${when}`
  return { kind: 'held', holder, isWatched: where === 'other boot' }
}

function parseMark(line: string): Mark | undefined {
  try {
    return v.parse(Mark, JSON.parse(line))
  } catch {
    return undefined
  }
}

/** Whether the next session may be taken, and as a take-over. Undefined when the last one went away meanwhile. Throws exit 11. */
async function admit(
  contender: Contender,
  last: number,
): Promise<{ readonly takeOver: boolean } | undefined> {
  if (last === 0) return { takeOver: false }
  const { host, dir, here, options } = contender
  const path = sessionPath(dir, last)
  const file = readSession(host, path)
  if (file === undefined) return undefined
  const state = judge(host, here, file)
  if (state.kind !== 'held') return { takeOver: state.kind === 'free' && state.takeOver }
  const message = `${options.what} is in use by ${state.holder}`
  if (!state.isWatched && options.takeOver !== true) {
    const hint =
      'wait until it ends; if it died, run the command again with --take-over, which waits a minute for a sign of life'
    throw busy(options, message, hint)
  }
  options.onWait?.(state.holder)
  const begun = host.monotonic()
  while (host.monotonic() - begun < watchFor) {
    await host.sleep(lookEvery, options.signal)
    const now = readSession(host, path)
    const isUnmoved =
      now?.text === file.text && Math.abs(now.beat - file.beat) < shortestBeat
    if (!isUnmoved) throw busy(options, message, 'it is still working; wait until it ends')
  }
  return { takeOver: true }
}

function busy({ run }: ClaimOptions, message: string, hint: string): SvcError {
  return new SvcError('busy', message, { hint, run })
}

const sessionPath = (dir: string, number: number): string => join(dir, `session.${number}`)

function sessionNumbers({ disk }: DiskHost, dir: string): number[] {
  const names = disk.readdirSync(dir)
  return names.flatMap((name) => {
    const number = /^session\.([1-9]\d{0,8})$/.exec(name)?.[1]
    return number === undefined ? [] : [Number(number)]
  })
}

interface SessionFile {
  readonly text: string
  /** Modification time in milliseconds. */
  readonly beat: number
}

const longestSession = 4096

/** Opens a session's file by its name. Undefined if there is no such file. Throws the system's error. */
function readSession(host: DiskHost, path: string): SessionFile | undefined {
  try {
    const { stats, bytes } = readRegular(host, path, longestSession, 'refused')
    return { text: bytes?.toString() ?? '', beat: stats.mtimeMs }
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw error
  }
}
