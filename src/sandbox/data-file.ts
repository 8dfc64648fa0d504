/** The file behind `--data`: the whole state, replaced at once, so that a crash leaves the old file or the new one. */
import { open, readFile, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { messageOf, systemCode, usageError } from '../errors.ts'
import type { CompanySnapshot } from './company.ts'

export interface Snapshot {
  readonly format: 'svc-sandbox/1'
  readonly seed: number
  readonly contacts: number
  readonly empty: boolean
  /** See `SeedOptions`. */
  readonly epoch: number
  readonly companies: readonly CompanySnapshot[]
}

/** What the person asked for, as far as a file must agree with it. */
interface Asked {
  readonly dataFile?: string
  readonly seed?: number
  readonly contacts?: number
  readonly empty?: boolean
}

/** Undefined when there is no such file. Throws a usage error when it is not a sandbox's. */
export async function readSnapshot(path: string): Promise<Snapshot | undefined> {
  let content: string
  try {
    content = await readFile(path, 'utf8')
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw usageError(`the sandbox's data file "${path}" cannot be read: ${systemCode(error) ?? 'unknown reason'}`)
  }
  const value = parsed(content)
  if (!isSnapshot(value)) {
    throw usageError(
      `"${path}" is not a data file of the sandbox`,
      'name another file, or remove this one to begin anew',
    )
  }
  return value
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch {
    return undefined
  }
}

/** Files of another format are told apart; what we wrote ourselves, whole, is believed. */
function isSnapshot(value: unknown): value is Snapshot {
  return (
    typeof value === 'object' &&
    value !== null &&
    'format' in value &&
    value.format === 'svc-sandbox/1' &&
    'companies' in value &&
    Array.isArray(value.companies) &&
    'seed' in value &&
    typeof value.seed === 'number' &&
    'contacts' in value &&
    typeof value.contacts === 'number' &&
    'epoch' in value &&
    typeof value.epoch === 'number'
  )
}

/** What was asked for must be what the file holds, or the ids would not be those that the person expects. */
export function checkSnapshot(snapshot: Snapshot, { seed, contacts, empty, dataFile }: Asked): void {
  const asked = { seed, contacts, empty: empty === true ? true : undefined }
  for (const name of ['seed', 'contacts', 'empty'] as const) {
    if (asked[name] === undefined || asked[name] === snapshot[name]) continue
    throw usageError(
      `"${dataFile ?? ''}" was made with ${name} ${String(snapshot[name])}, not ${String(asked[name])}`,
      `leave out --${name}, or name another file`,
    )
  }
}

/** Writes beside the file, syncs, renames over it and syncs the folder. Mode 0600. */
export async function writeSnapshot(path: string, snapshot: Snapshot): Promise<void> {
  const temporary = `${path}.tmp`
  await rm(temporary, { force: true })
  const file = await open(temporary, 'wx', 0o600)
  try {
    await file.writeFile(`${JSON.stringify(snapshot)}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  await rename(temporary, path)
  await syncFolder(dirname(path))
}

async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, 'r')
    try {
      await folder.sync()
    } finally {
      await folder.close()
    }
  } catch {
    // Windows cannot open a folder; the rename is then as durable as that system makes it.
  }
}

/** Saves some time after a change, one save at a time, and never loses the last one. */
export class Saver {
  readonly #path: string
  readonly #take: () => Snapshot
  #timer: NodeJS.Timeout | undefined
  #saving: Promise<void> = Promise.resolve()
  #dirty = false
  #failure: Error | undefined

  constructor(path: string, take: () => Snapshot) {
    this.#path = path
    this.#take = take
  }

  changed(): void {
    this.#dirty = true
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#save()
    }, 20)
  }

  /** Writes what is not written yet. Throws when this save or an earlier one failed. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#save()
    if (this.#failure !== undefined) throw this.#failure
  }

  #save(): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      if (!this.#dirty) return
      this.#dirty = false
      try {
        await writeSnapshot(this.#path, this.#take())
        this.#failure = undefined
      } catch (error) {
        this.#dirty = true
        this.#failure = error instanceof Error ? error : new Error(messageOf(error))
      }
    })
    return this.#saving
  }
}
