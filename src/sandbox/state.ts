/** A sandbox's two companies, of a seed or from the file of `--data`, which a crash leaves whole, old or new. */
import { dirname } from 'node:path'
import { messageOf, systemCode, usageError } from '../errors.ts'
import { isObject } from '../values.ts'
import type { Host } from '../host.ts'
import { Company, type CompanySnapshot } from './company.ts'
import { seedCompany } from './seed/company.ts'
import { day, type SeedOptions } from './seed/time.ts'

interface Snapshot extends SeedOptions {
  readonly format: 'svc-sandbox/1'
  readonly companies: readonly CompanySnapshot[]
}

export interface StateOptions {
  readonly seed?: number | undefined
  /** Default 5000. */
  readonly contacts?: number | undefined
  /** No contacts, lists, tickets and employees. */
  readonly empty?: boolean | undefined
  /** Where the state is kept; without it, it ends with the sandbox. */
  readonly data?: string | undefined
}

type StateHost = Pick<Host, 'disk' | 'after' | 'now'>

/** Throws a usage error for a data file that is foreign or was made with other options. */
export async function openState(host: StateHost, options: StateOptions): Promise<State> {
  const { data } = options
  const snapshot = data === undefined ? undefined : await readSnapshot(host, data)
  if (snapshot !== undefined) checkSnapshot(snapshot, options)
  const { seed = 1, contacts = 5000, empty = false } = snapshot ?? options
  const epoch = snapshot?.epoch ?? Math.floor(host.now() / day) * day
  return new State(host, data, { seed, contacts, empty, epoch }, snapshot?.companies)
}

/** Saved some time after a change, one save at a time; the last one is never lost. */
export class State {
  readonly seeding: SeedOptions
  readonly companies: readonly Company[]
  readonly #host: StateHost
  readonly #path: string | undefined
  #timer: ReturnType<Host['after']> | undefined
  #saving: Promise<void> = Promise.resolve()
  #dirty = false
  #failure: Error | undefined

  constructor(
    host: StateHost,
    path: string | undefined,
    seeding: SeedOptions,
    companies: readonly CompanySnapshot[] = [],
  ) {
    this.#host = host
    this.#path = path
    this.seeding = seeding
    this.companies = [0, 1].map((number) => new Company(seedCompany(seeding, number), companies[number]))
  }

  /** To be called after every change. */
  changed(): void {
    if (this.#path === undefined) return
    this.#dirty = true
    this.#timer ??= this.#host.after(20, () => {
      this.#timer = undefined
      void this.#save()
    })
  }

  /** Writes what is not written yet. Throws when this save or an earlier one failed. */
  async flush(): Promise<void> {
    this.#timer?.cancel()
    this.#timer = undefined
    await this.#save()
    if (this.#failure !== undefined) throw this.#failure
  }

  #save(): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      if (!this.#dirty || this.#path === undefined) return
      this.#dirty = false
      try {
        const companies = this.companies.map((company) => company.snapshot())
        await writeSnapshot(this.#host, this.#path, { format: 'svc-sandbox/1', ...this.seeding, companies })
        this.#failure = undefined
      } catch (error) {
        this.#dirty = true
        this.#failure = error instanceof Error ? error : new Error(messageOf(error))
      }
    })
    return this.#saving
  }
}

/** Undefined when there is no such file. */
async function readSnapshot({ disk }: StateHost, path: string): Promise<Snapshot | undefined> {
  try {
    const value: unknown = JSON.parse(await disk.promises.readFile(path, 'utf8'))
    if (isSnapshot(value)) return value
  } catch (error) {
    const code = systemCode(error)
    if (code === 'ENOENT') return undefined
    // Not JSON is not ours either.
    if (code !== undefined) throw usageError(`the sandbox's data file "${path}" cannot be read: ${code}`)
  }
  throw usageError(`"${path}" is not a data file of the sandbox`, 'name another file, or remove this one to start over')
}

/** Other formats are recognized; a file that the sandbox wrote itself is trusted. */
function isSnapshot(value: unknown): value is Snapshot {
  return isObject(value) && value['format'] === 'svc-sandbox/1'
}

/** Options must be those of the file, or the ids would not be those that the person expects. */
function checkSnapshot(snapshot: Snapshot, { seed, contacts, empty, data }: StateOptions): void {
  const asked = { seed, contacts, empty: empty === true ? true : undefined }
  for (const name of ['seed', 'contacts', 'empty'] as const) {
    if (asked[name] === undefined || asked[name] === snapshot[name]) continue
    throw usageError(
      `"${data ?? ''}" was made with ${name} ${String(snapshot[name])}, not ${String(asked[name])}`,
      `leave out --${name}, or name another file`,
    )
  }
}

/** Writes beside the file, syncs, renames over it and syncs the folder. Mode 0600. */
async function writeSnapshot({ disk }: StateHost, path: string, snapshot: Snapshot): Promise<void> {
  const { open, rename, rm, writeFile } = disk.promises
  const temporary = `${path}.tmp`
  await rm(temporary, { force: true })
  await writeFile(temporary, `${JSON.stringify(snapshot)}\n`, { flag: 'wx', mode: 0o600, flush: true })
  await rename(temporary, path)
  // Windows cannot open a folder; the rename is then as durable as that system makes it.
  const folder = await open(dirname(path), 'r').catch(() => undefined)
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}
