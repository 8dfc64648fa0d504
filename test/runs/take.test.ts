/** Taking a run: whether its holder is certainly dead, who is watched, and who of several is first (docs/run-file.md, "Taking a run"). */
import { spawn } from 'node:child_process'
import { appendFileSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { FileHost } from '../../src/runs/file.ts'
import { readLog } from '../../src/runs/reading.ts'
import {
  beginAgain,
  currentIdentity,
  lifeOf,
  takeRun,
  type TakeOptions,
} from '../../src/runs/take.ts'
import { atEnd } from '../ending.ts'
import {
  deadSession,
  firstSession,
  hold,
  host,
  recordRun,
  takeAt,
  toolsOf,
} from './recorded-run.ts'
import { linesIn, rewrite, textOf, writeOf } from './run-files.ts'
import { until } from './spawned.ts'

const here = currentIdentity(host)
const otherBoot = '0'.repeat(36)
const upSince = (): number => Date.now() - host.computer.uptime * 1000

describe('a holder is certainly', () => {
  const gone = { ...here, pid: 4_194_303, start: '1' }
  const before = upSince() - 60_000
  const since = Date.now()
  const [elsewhere, rebooted] = ['another pid:[1] time:[2]', { boot: otherBoot }]
  it.each<[string, Partial<typeof here>, number, ReturnType<typeof lifeOf>]>([
    ['this process', {}, since, 'unknown'],
    ['no process has its number', gone, since, 'dead'],
    ['another process has its number: it began at another time', { start: '1' }, since, 'dead'],
    ['its start is not known', { start: null }, since, 'unknown'],
    ['its start and process are not known', { ...gone, start: null }, since, 'dead'],
    ['another machine or namespace', { ...gone, place: elsewhere }, since, 'unknown'],
    ['a machine that cannot be told', { ...gone, place: null }, since, 'unknown'],
    ['another host name', { ...gone, host: 'another' }, since, 'unknown'],
    ['a boot that cannot be told', { ...gone, boot: null }, since, 'unknown'],
    ['another boot, and not touched since this one began', rebooted, before, 'dead'],
    ['another boot, and touched since', rebooted, since, 'restarted'],
    ['another boot, and touched soon after this one began', rebooted, before + 65_000, 'restarted'],
    ['another boot of another machine', { ...rebooted, place: 'x' }, before, 'unknown'],
  ])('%s', (_, session, touchedAt, life) => {
    expect(lifeOf(host, { ...here, ...session }, touchedAt)).toBe(life)
  })

  it('a fact that the system does not tell this process equals nothing', () => {
    const readFileSync = () => {
      throw Object.assign(new Error('EACCES'), { code: 'EACCES' })
    }
    const hidden = { ...host, disk: { ...host.disk, readFileSync } }
    expect(currentIdentity(hidden)).toMatchObject({ place: null, boot: null, start: null })
    for (const session of [gone, { ...gone, place: null }, { ...gone, boot: null }])
      expect(lifeOf(hidden, session, since)).toBe('unknown')
  })

  it.each([
    ['another pid namespace', '/proc/self/ns/pid', 'pid:[1]'],
    ['another time namespace', '/proc/self/ns/time', 'time:[1]'],
    ['another pid namespace with the /proc of this one', '/proc/self', '1'],
  ])('in %s nothing is known of a holder here', (_, link, target) => {
    const readlinkSync = (path: string) => (path === link ? target : host.disk.readlinkSync(path))
    const disk = { ...host.disk, readlinkSync: readlinkSync as typeof host.disk.readlinkSync }
    for (const session of [gone, { ...here, start: '1' }])
      expect(lifeOf({ ...host, disk }, session, since)).toBe('unknown')
  })

  it('a zombie is no process', async () => {
    // The shell becomes a program that never asks how its child ended.
    const parent = spawn('/bin/sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'])
    atEnd(() => parent.kill('SIGKILL'))
    let said = ''
    parent.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()))
    const stat = (): string => readFileSync(`/proc/${said.trim()}/stat`, 'utf8')
    await until(() => said.includes('\n') && / Z /.test(stat()))
    const pid = Number(said)
    const start = stat().split(') ')[1]?.split(' ')[19] ?? ''
    expect(lifeOf(host, { ...here, pid, start }, since)).toBe('dead')
    parent.kill('SIGKILL')
  })
})

/** A host whose clock moves on with its waits, during which something happens. */
function watcher(during: (waited: number) => void = () => undefined) {
  let waited = 0
  const own: FileHost = {
    ...host,
    monotonic: () => waited,
    sleep: (ms) => {
      waited += ms
      during(waited)
      return Promise.resolve()
    },
  }
  const notes: string[] = []
  const tools = { ...toolsOf(own), note: (text: unknown) => void notes.push(String(text)) }
  return { tools, notes, waited: () => waited }
}

/** A recorded run whose session is that of this holder. */
function runOf(holder: Partial<typeof here>) {
  const recorded = recordRun(4, 2)
  rewrite(recorded.path, (lines) =>
    lines.map((line) => (line.t === 'session' ? { ...line, ...holder } : line)),
  )
  return recorded
}

const alive = { pid: process.pid, start: here.start }
const elsewhere = { host: 'desk-7', place: 'another pid:[1] time:[2]' }

const take = async (
  { run, path }: { run: string; path: string },
  options: Partial<TakeOptions> = {},
  watching = watcher(),
) => {
  const taken = await takeRun(
    watching.tools,
    { run, path },
    { decideToClaim: () => true, ...options },
  )
  const session = linesIn(path).findLast(({ t }) => t === 'session')
  taken?.file.free()
  await taken?.file.close()
  return { isHeld: taken?.isHeld, session, notes: watching.notes, waited: watching.waited() }
}

describe('a run that is taken', () => {
  it('from a dead process: at once, and nothing is unsure', async () => {
    const taken = await take(runOf({}))
    expect(taken).toMatchObject({ isHeld: true, waited: 0, notes: [] })
    expect(taken.session).toMatchObject({ over: firstSession, after: 4, pid: process.pid })
    expect(taken.session).not.toHaveProperty('unsure')
  })

  it.each([
    ['a process that may be alive', alive],
    ['a process elsewhere', elsewhere],
  ])('from %s: exit 11, and nothing is written', async (_, holder) => {
    const recorded = runOf(holder)
    const before = readFileSync(recorded.path)
    const message = /in use by process \d+ on "[^"]+", whose last sign of life was at \d{4}-/
    await expect(take(recorded)).rejects.toMatchObject({
      exitCode: 7,
      message: expect.stringMatching(message) as string,
      details: { hint: expect.stringContaining('--take-over') as string },
    })
    expect(readFileSync(recorded.path)).toEqual(before)
  })

  it.each([
    ['with --take-over', alive, true],
    ['of another host with --take-over', elsewhere, true],
    ['after a restart of its machine, if the file was touched since', { boot: otherBoot }, false],
  ])('%s: a minute without a sign of life, and all is unsure', async (_, holder, takeOver) => {
    const taken = await take(runOf(holder), { takeOver })
    expect(taken).toMatchObject({ isHeld: true, waited: 60_000 })
    expect(taken.session).toMatchObject({ over: firstSession, unsure: true })
    expect(taken.notes).toEqual([expect.stringContaining('waiting a minute for a sign of life')])
  })

  it('after a restart of its machine, if the file was not touched since: at once', async () => {
    const recorded = runOf({ boot: otherBoot })
    const before = upSince() / 1000 - 60
    utimesSync(recorded.path, before, before)
    expect(await take(recorded)).toMatchObject({ isHeld: true, waited: 0 })
  })

  /** The file's time becomes that of now and so many seconds. */
  const touch = (seconds: number) => (path: string) => {
    const time = Date.now() / 1000 + seconds
    utimesSync(path, time, time)
  }
  const lineMore = `\n${textOf({ s: firstSession, i: 4, t: 'free', at: 1 })}`
  /** A holder that may be alive gives this sign so many milliseconds after the watch began. */
  const signalling = (sign: (path: string) => void, at: number) => {
    const recorded = runOf(alive)
    touch(0)(recorded.path)
    const watching = watcher((waited) => {
      if (waited === at) sign(recorded.path)
    })
    return { recorded, watching, taking: take(recorded, { takeOver: true }, watching) }
  }

  it.each<[string, (path: string) => void]>([
    ['a line more', (path) => appendFileSync(path, lineMore)],
    ['bytes of a line', (path) => appendFileSync(path, '\n')],
    ['a time that moved on by two seconds', touch(2)],
    ['a time that moved back', touch(-3)],
  ])('is left alone at %s within the minute: exit 11', async (_, sign) => {
    for (const at of [5_000, 60_000]) {
      const { recorded, watching, taking } = signalling(sign, at)
      await expect(taking).rejects.toMatchObject({ exitCode: 7 })
      expect(watching.waited()).toBe(at)
      expect(linesIn(recorded.path).filter(({ t }) => t === 'session')).toHaveLength(1)
    }
  })

  it('is taken in spite of a time that moved by less than two seconds', async () => {
    expect(await signalling(touch(1.9), 5_000).taking).toMatchObject({ isHeld: true })
  })

  it('is unsure where the first line of the last session was lost', async () => {
    const recorded = recordRun(4, 2)
    appendFileSync(recorded.path, writeOf('ffffffff', [{ t: 'try', b: 1, a: 1 }], 1))
    const { session } = await take(recorded)
    expect(session).toMatchObject({ over: 'ffffffff', after: 1, unsure: true })
  })

  it('with a damaged head is exit 2, but to be removed', async () => {
    const recorded = runOf({})
    rewrite(recorded.path, (lines) => [
      ...lines.filter(({ t }) => t !== 'run'),
      { s: firstSession, i: 4, t: 'try', b: 1, a: 1, at: 1 },
    ])
    await expect(take(recorded)).rejects.toMatchObject({ exitCode: 2 })
    expect(await take(recorded, { isToRemove: true })).toMatchObject({ isHeld: true })
  })
})

describe('two that claim at the same moment', () => {
  /** Takes a run; another process does this just before this one writes its claim, or when that is written. */
  const racing = (path: string, when: 'before' | 'after', work: (path: string) => void) => {
    let isDone = false
    const writeSync = ((file: number, bytes: Buffer) => {
      const isFirst = !isDone
      isDone = true
      if (isFirst && when === 'before') work(path)
      const written = host.disk.writeSync(file, bytes)
      if (isFirst && when === 'after') work(path)
      return written
    }) as FileHost['disk']['writeSync']
    return takeAt(path, { ...host, disk: { ...host.disk, writeSync } })
  }
  const claimsToo = (path: string, more: object = {}): void =>
    appendFileSync(path, writeOf('ffffffff', [deadSession(firstSession, 4, more)]))

  it('the slower one starts over, and finds a holder', async () => {
    const slow = racing(runOf({}).path, 'before', (path) => claimsToo(path, alive))
    await expect(slow).rejects.toMatchObject({ exitCode: 7 })
  })

  it('the slower one starts over with another session, and follows the faster one if that is dead', async () => {
    const { path } = runOf({})
    const taken = await racing(path, 'before', claimsToo)
    const sessions = linesIn(path).filter(({ t }) => t === 'session')
    const over = sessions.map((session) => session['over'])
    // The first one, the faster one, that which was too late, and the last.
    expect(over).toEqual([null, firstSession, firstSession, 'ffffffff'])
    expect([taken?.isHeld, sessions[3]?.s === sessions[2]?.s]).toEqual([true, false])
    await taken?.file.close()
  })

  it('the faster one holds the run, whatever comes behind its line', async () => {
    const taken = await racing(runOf({}).path, 'after', claimsToo)
    expect(taken?.isHeld).toBe(true)
    taken?.file.checkHeld()
    await taken?.file.close()
  })

  it('a run that was removed meanwhile is none', async () => {
    expect(await racing(runOf({}).path, 'after', (path) => rmSync(path))).toBeUndefined()
  })

  it('a run that was pruned is removed by whoever takes it, and begins anew', async () => {
    const recorded = runOf({})
    recorded.append([{ t: 'pruned' }])
    const taken = await takeAt(recorded.path, host, {
      canCreate: true,
      decideToClaim(log) {
        if (log.sessions.claim.over === null) return true
        throw new Error('it is another job')
      },
    })
    expect(taken?.isHeld).toBe(true)
    expect(linesIn(recorded.path).map(({ t }) => t)).toEqual(['session'])
    await taken?.file.close()
  })
})

describe('a second session over one of its own', () => {
  const begun = async () => {
    const recorded = runOf({})
    const { file } = await hold(recorded.path)
    atEnd(() => file.close())
    const again = () => beginAgain(toolsOf(host), file, { reopen: ['error'] })
    return { recorded, file, again, s: file.session }
  }

  it('follows it with all its lines, of which none counts twice', async () => {
    const { recorded, file, again, s } = await begun()
    file.append({ t: 'try', b: 1, a: 1 })
    file.append({ t: 'res', b: 1, a: 1, k: 'refused', st: 422 })
    await again()
    expect(linesIn(recorded.path).at(-1)).toMatchObject({ over: s, after: 3, reopen: ['error'] })
    file.checkHeld()
    file.append({ t: 'try', b: 1, a: 2 })
    const read = await readLog(host, recorded)
    expect(read?.log.recorded?.state.stateOf(1)).toEqual(file.log.recorded?.state.stateOf(1))
    expect(read?.log.recorded?.damage).toBeUndefined()
  })

  it('is too late for a run that was taken meanwhile (exit 11), or removed (10)', async () => {
    const taken = await begun()
    appendFileSync(taken.recorded.path, writeOf('ffffffff', [deadSession(taken.s, 1)]))
    await expect(taken.again()).rejects.toMatchObject({ exitCode: 7 })
    const removed = await begun()
    rmSync(removed.recorded.path)
    await expect(removed.again()).rejects.toMatchObject({ exitCode: 1 })
  })
})
