/** A run file among processes: docs/run-file.md, 9 to 13. */
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { nodeHost } from '../../src/host.ts'
import { RunFile, type FileHost } from '../../src/runs/file.ts'
import { diskFolder, type OpenFile, type RunFolder } from '../../src/runs/folder.ts'
import type { NewLine } from '../../src/runs/lines.ts'
import { head, session, stamped, textOf } from './lines.ts'

const run = 'delete-0123456789ab.1'
const attempt: NewLine = { t: 'try', b: [0, 2], a: 1 }
const lines = head('contacts.delete', 2)
const never = new AbortController().signal

const real = nodeHost(globalThis.process)

let state: string
let folder: RunFolder
const ticks: (() => void)[] = []

/** A process of this number on a host. Its timers are called by the test. */
function process(pid: number, hostname = 'desk', running: readonly number[] = []): FileHost {
  const { computer, now, randomBytes } = real
  return {
    now,
    randomBytes,
    pid,
    computer: { ...computer, hostname },
    isRunning: (other) => running.includes(other),
    sleep: () => Promise.resolve(),
    every: (_ms, callback) => {
      ticks.push(callback)
      return { cancel: () => void ticks.splice(ticks.indexOf(callback), 1) }
    },
  }
}

const path = () => join(state, 'runs', `${run}.ndjson`)

async function open(host: FileHost, which: 'append' | 'create' = 'append', of: RunFolder = folder) {
  const file = await RunFile.open(host, of, run, which)
  if (file === undefined) throw new Error('there is no such file')
  return file
}

/** A run that this process holds. */
async function held(host = process(1), of: RunFolder = folder) {
  const file = await open(host, 'create', of)
  expect(await file.claim(lines)).toBe(true)
  return file
}

beforeEach(async () => {
  state = mkdtempSync(join(tmpdir(), 'svc-run-'))
  folder = diskFolder(real, state)
  await folder.prepare()
})
afterEach(() => {
  ticks.length = 0
  rmSync(state, { recursive: true, force: true })
})

describe('a claim', () => {
  it('fails if somebody wrote since the reading', async () => {
    await (await held()).close()
    const [one, two] = [await open(process(2)), await open(process(3))]
    expect([await one.claim([]), await two.claim([])]).toEqual([true, false])
    expect(two.log.isDamaged).toBe(false)
  })

  it('creates a file once', async () => {
    await held()
    expect(await RunFile.open(process(2), folder, run, 'create')).toBeUndefined()
  })

  it('continues behind a torn line', async () => {
    await (await held()).close()
    appendFileSync(path(), '\n{"n":3,"s":"aaaaaaaa","t":"t')
    const file = await open(process(2))
    expect(await file.claim([])).toBe(true)
    await file.append(attempt)
    expect([file.log.isDamaged, file.log.next]).toEqual([false, 5])
  })
})

describe('the check', () => {
  it('stops a holder behind whom another session began', async () => {
    const file = await held()
    const other = await open(process(2))
    await other.claim([])
    await expect(file.append(attempt)).rejects.toThrow(/taken over by another process/)
    expect(readFileSync(path(), 'utf8')).not.toContain('"try"')
    expect(file.isLost).toBe(true)
  })

  it('stands between the sync of an attempt and its request', async () => {
    let other: RunFile | undefined
    const slow = withFile((opened) =>
      whileSyncing(opened, async () => {
        // Another process claims the run while the attempt is being synced.
        if (file.log.queue?.requests[0]?.attempts !== 1) return
        other = await open(process(2))
        await other.claim([])
      }),
    )
    const file = await open(process(1), 'create', slow)
    await file.claim(lines)
    await expect(file.appendSynced(attempt)).rejects.toThrow(/taken over/)
    expect(other?.log.queue?.requests[0]?.isInFlight).toBe(true)
  })

  const gone: Record<string, () => void> = {
    'the file was removed': () => rmSync(path()),
    'the state folder was moved': () => renameSync(join(state, 'runs'), join(state, 'elsewhere')),
    'another file has its name': () => {
      const copy = readFileSync(path())
      rmSync(path())
      writeFileSync(`${path()}2`, '')
      writeFileSync(path(), copy)
    },
    'the file is shorter': () => truncateSync(path(), 40),
    'a line of it was changed': () => appendFileSync(path(), textOf(stamped('c', 9, [session()]))),
  }
  for (const [name, change] of Object.entries(gone)) {
    it(`stops a holder when ${name}`, async () => {
      const file = await held()
      change()
      const failed = file.append(attempt)
      await expect(failed).rejects.toThrow(/was moved, removed or changed|taken over/)
      await expect(file.append(attempt)).rejects.toThrow(file.failure)
    })
  }
})

/** A file that does this before each sync. */
function whileSyncing(file: OpenFile, work: () => Promise<void>): OpenFile {
  return {
    facts: () => file.facts(),
    read: (from, length) => file.read(from, length),
    append: (bytes) => file.append(bytes),
    touch: () => file.touch(),
    close: () => file.close(),
    sync: async () => {
      await work()
      await file.sync()
    },
  }
}

describe('writing', () => {
  it('shares a sync among those who wait', async () => {
    let syncs = 0
    const counting = withFile((file) =>
      whileSyncing(file, () => Promise.resolve(void (syncs += 1))),
    )
    const file = await held(process(1), counting)
    syncs = 0
    await Promise.all([0, 1, 2, 3].map(() => file.appendSynced(attempt)))
    expect(syncs).toBeLessThanOrEqual(2)
  })

  it('never begins anything after a line that was cut off', async () => {
    const full = withFile((file) => ({
      ...whileSyncing(file, () => Promise.resolve()),
      append: (bytes) => file.append(bytes.includes('"try"') ? bytes.subarray(0, 9) : bytes),
    }))
    const file = await held(process(1), full)
    await expect(file.append(attempt)).rejects.toThrow(/no space left/)
    await expect(file.append({ t: 'end' })).rejects.toThrow(/no space left/)
    expect(readFileSync(path(), 'utf8')).not.toContain('"end"')
  })

  it('never begins anything after a sync that failed', async () => {
    let isBroken = false
    const broken = withFile((file) =>
      whileSyncing(file, () => (isBroken ? Promise.reject(new Error('EIO')) : Promise.resolve())),
    )
    const file = await held(process(1), broken)
    isBroken = true
    await expect(file.appendSynced(attempt)).rejects.toThrow(/cannot be written/)
    isBroken = false
    await expect(file.appendSynced(attempt)).rejects.toThrow(/cannot be written/)
  })
})

function withFile(change: (file: OpenFile) => OpenFile): RunFolder {
  return {
    path: folder.path,
    prepare: () => folder.prepare(),
    names: () => folder.names(),
    factsOf: (name) => folder.factsOf(name),
    sync: () => folder.sync(),
    open: async (name, how) => {
      const file = await folder.open(name, how)
      return file && change(file)
    },
  }
}

describe('a run is held', () => {
  const wait = async (host: FileHost) => {
    let waits = 0
    const isHeld = await (await open(host)).isHeld(() => void (waits += 1), never)
    return { isHeld, waits }
  }

  it('not by a process of this host that is gone: nobody waits', async () => {
    await held(process(7))
    expect(await wait(process(2))).toEqual({ isHeld: false, waits: 0 })
  })

  it('not by an earlier process with the number of this one, as in a container', async () => {
    await held(process(7))
    expect(await wait(process(7, 'desk', [7]))).toEqual({ isHeld: false, waits: 0 })
  })

  it('not by a process that shows no sign of life for 20 seconds', async () => {
    await held(process(7, 'laptop'))
    expect(await wait(process(2))).toEqual({ isHeld: false, waits: 1 })
  })

  it('by a process that writes or sets the time of the file', async () => {
    await held(process(7))
    let looks = 0
    const host = {
      ...process(2, 'desk', [7]),
      sleep: () => {
        looks += 1
        if (looks === 3) utimesSync(path(), 2e9, 2e9)
        return Promise.resolve()
      },
    }
    expect([await wait(host), looks]).toEqual([{ isHeld: true, waits: 1 }, 3])
  })

  it('not after its end', async () => {
    await (await held(process(7))).append({ t: 'end', exit: 0, due: 0 })
    expect(await wait(process(2, 'desk', [7]))).toEqual({ isHeld: false, waits: 0 })
  })

  it('and its holder sets the time of the file, but not when it was taken over', async () => {
    const file = await held()
    utimesSync(path(), 1000, 1000)
    ticks[0]?.()
    await file.check()
    await expect.poll(() => statSync(path()).mtimeMs).toBeGreaterThan(1e9)
    await (await open(process(2))).claim([])
    utimesSync(path(), 1000, 1000)
    ticks[0]?.()
    await expect(file.check()).rejects.toThrow(/taken over/)
    expect(statSync(path()).mtimeMs).toBe(1_000_000)
  })
})

it('the folder and its files are of this user alone', async () => {
  await held()
  const modes = [join(state, 'runs'), path()].map((each) => statSync(each).mode & 0o777)
  expect(modes).toEqual([0o700, 0o600])
})
