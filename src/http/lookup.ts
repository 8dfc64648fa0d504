/**
 * A host name's addresses, from a name server that may never answer. getaddrinfo, Node's `dns.lookup`, cannot be canceled:
 * for as long as one waits (10 s and more) the process does not end, whatever is done to end it. So it is called only for a
 * name that stands in the hosts file; other names are asked for with c-ares, and what that does not find (names of the
 * local network, search domains) is looked up by the system in a process that can be killed.
 */
import type { LookupAddress, promises as DnsModule } from 'node:dns'
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import type { Host } from '../host.ts'
import { connectionError } from './connection-errors.ts'

export type NameHost = Pick<Host, 'env' | 'platform' | 'self' | 'monotonic' | 'nameServers'>

type Addresses = readonly LookupAddress[]

/** How long the first answer waits for that of the other family (RFC 8305), in milliseconds. */
const otherFamily = 50

/** One name; at most one lookup of it is in flight. */
export class HostName {
  readonly #name: string
  readonly #host: NameHost
  readonly #programs: readonly Program[]
  #underWay: { readonly answer: Promise<Addresses>; readonly stop: () => void } | undefined
  #failed: { readonly error: Error; readonly until: number } | undefined

  constructor(name: string, host: NameHost, programs = systemPrograms(host)) {
    this.#name = name.toLowerCase()
    this.#host = host
    this.#programs = programs
  }

  get isBusy(): boolean {
    return this.#underWay !== undefined
  }

  /**
   * The addresses, at least one. Rejects with ENOTFOUND, with EAI_AGAIN where that may change, or when the signal is aborted.
   * The lookup ends when the first who waits for it gives up: one that starts to wait later would keep it going forever. One that failed is
   * not tried again for as long as it took.
   */
  async addresses(signal: AbortSignal): Promise<Addresses> {
    if (this.#failed !== undefined && this.#host.monotonic() < this.#failed.until) throw this.#failed.error
    const { answer, stop } = (this.#underWay ??= this.#begin())
    if (signal.aborted) stop()
    signal.addEventListener('abort', stop, { once: true })
    try {
      return await answer
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }

  #begin(): { answer: Promise<Addresses>; stop: () => void } {
    const started = this.#host.monotonic()
    const stopped = new AbortController()
    const stop = (): void => stopped.abort()
    // At once, whatever still has to end.
    const answer = unlessAborted(this.#lookUp(stopped.signal), stopped.signal).finally(() => {
      this.#underWay = undefined
    })
    answer.catch((error: Error) => {
      const now = this.#host.monotonic()
      this.#failed = { error, until: now + (now - started) }
    })
    return { answer, stop }
  }

  async #lookUp(stopped: AbortSignal): Promise<Addresses> {
    const { promises } = await import('node:dns')
    if (isInHostsFile(this.#name, this.#host)) return promises.lookup(this.#name, { all: true })
    const asked = await this.#ask(promises, stopped)
    if (asked.found.length > 0) return asked.found
    const found = await this.#askSystem(stopped)
    if (found.length > 0) return found
    throw nameError(asked.isUnknown)
  }

  /** Both families at once. `isUnknown`: the name server said that there is no such name, or none with an address. */
  async #ask(dns: typeof DnsModule, stopped: AbortSignal): Promise<{ found: Addresses; isUnknown: boolean }> {
    const resolver = new dns.Resolver()
    if (this.#host.nameServers !== undefined) resolver.setServers(this.#host.nameServers)
    const cancel = (): void => resolver.cancel()
    if (stopped.aborted) return { found: [], isUnknown: false }
    stopped.addEventListener('abort', cancel)
    const [four, six]: [LookupAddress[], LookupAddress[]] = [[], []]
    const asking = [
      resolver.resolve4(this.#name).then((all) => four.push(...all.map((address) => ({ address, family: 4 })))),
      resolver.resolve6(this.#name).then((all) => six.push(...all.map((address) => ({ address, family: 6 })))),
    ]
    try {
      await Promise.any(asking)
      await Promise.race([
        Promise.allSettled(asking),
        new Promise((resolve) => setTimeout(resolve, otherFamily).unref()),
      ])
    } catch (error) {
      const reasons = error instanceof AggregateError ? (error.errors as { code?: unknown }[]) : []
      return { found: [], isUnknown: reasons.every(({ code }) => unknown.has(code)) }
    } finally {
      stopped.removeEventListener('abort', cancel)
      // A question that is still open would keep the process.
      resolver.cancel()
    }
    return { found: [...four, ...six], isUnknown: false }
  }

  async #askSystem(stopped: AbortSignal): Promise<Addresses> {
    const { execFile } = await import('node:child_process')
    for (const [program, ...words] of this.#programs) {
      if (stopped.aborted) break
      // Killed, and its output closed, which what it has started itself may keep open.
      const options = { env: this.#host.env, windowsHide: true, signal: stopped, killSignal: 'SIGKILL' } as const
      const text = await new Promise<string | undefined>((resolve) => {
        execFile(program, [...words, this.#name], options, (error, stdout) =>
          resolve(error?.code === 'ENOENT' ? undefined : stdout),
        )
      })
      if (text !== undefined) return addressesIn(text)
    }
    return []
  }
}

type Program = readonly [string, ...string[]]

/** Print the addresses of the name that follows. svc itself comes second: it takes ten times as long to start. */
function systemPrograms({ self }: NameHost): readonly Program[] {
  return [
    ['/usr/bin/getent', 'ahosts', '--'],
    [...self, '__lookup'],
  ]
}

/** Of c-ares: no such name; no address of this family; not a name at all. */
const unknown: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME'])

function nameError(isUnknown: boolean): Error {
  return isUnknown
    ? connectionError('unknown host name', 'ENOTFOUND')
    : connectionError('the name server did not answer', 'EAI_AGAIN')
}

function addressesIn(text: string): Addresses {
  const words = text.split('\n').map((line) => line.split(/\s/)[0] ?? '')
  return [...new Set(words)].flatMap((address) => (isIP(address) === 0 ? [] : [{ address, family: isIP(address) }]))
}

function isInHostsFile(name: string, { env, platform }: NameHost): boolean {
  const path =
    platform === 'win32' ? join(env['SystemRoot'] ?? 'C:\\Windows', 'System32\\drivers\\etc\\hosts') : '/etc/hosts'
  let text: string
  try {
    text = readFileSync(path, 'latin1')
  } catch {
    // Without the file, or the right to read it, no name stands in it.
    return false
  }
  return text
    .toLowerCase()
    .split('\n')
    .some((line) => line.replace(/#.*/, '').trim().split(/\s+/).slice(1).includes(name))
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(nameError(false))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
