import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeHolder, findHolder } from '../../src/disk/lock-file.ts'
import { identityOf, type Place } from '../../src/disk/place.ts'
import { refusal } from '../input/inputs.ts'
import {
  LockFolder,
  elsewhere,
  here,
  hostOn,
  later,
  machine,
  machineWith,
  one,
  processes,
  two,
  type Processes,
} from './lock-world.ts'

const folder = new LockFolder()

describe('a lock', () => {
  it('is held until it is released', async () => {
    const lock = await folder.take(one)
    expect(lock.takenOver).toBe(false)
    expect(await findHolder(two, folder.path)).toMatchObject({
      pid: 100,
      host: 'web-1',
      isHere: true,
    })
    const error = await refusal(folder.take(two, { run: 'R' }))
    expect(error).toMatchObject({
      category: 'busy',
      exitCode: 11,
      message: 'run R is in use by process 100',
    })
    expect(error.details).toMatchObject({ hint: 'wait until it ends, or stop it', run: 'R' })
    await lock.release()
    expect(await findHolder(two, folder.path)).toBeUndefined()
    expect(folder.names).toEqual([])
    await folder.take(two)
  })

  it('is a line that says whose it is and since when, of which a renewal changes the counter alone', async () => {
    const since = one.now()
    await folder.take(one)
    const mark = folder.read()
    expect(mark).toEqual({
      schema: 'svc.lock/3',
      counter: '0000000000',
      token: expect.stringMatching(/^[0-9a-f]{16}$/) as string,
      host: 'web-1',
      identity: machine.identity,
      pid: 100,
      start: '1000',
      since,
    })
    expect(folder.text()).toMatch(/^\{.*\}\n$/)
    one.later.monotonic += 10_000
    one.later.wall += 10_000
    one.ring(10)
    await expect.poll(() => folder.read()['counter']).toBe('0000000001')
    expect(folder.read()).toEqual({ ...mark, counter: '0000000001' })
  })

  it('is on disk each time that it is renewed', async () => {
    let syncs = 0
    const { promises } = one.disk
    const open = (async (...how: Parameters<typeof promises.open>) => {
      const file = await promises.open(...how)
      const datasync = file.datasync.bind(file)
      file.datasync = () => {
        syncs += 1
        return datasync()
      }
      return file
    }) as typeof promises.open
    const host = { ...one, disk: { ...one.disk, promises: { ...promises, open } } }
    const lock = await folder.take(host)
    lock.recheck()
    await lock.check()
    expect([syncs, folder.read()['counter']]).toEqual([1, '0000000001'])
  })

  it('of a process that is gone is stale, and nothing stays when the next one releases it', async () => {
    await folder.abandon(one)
    expect(await findHolder(later, folder.path)).toBeUndefined()
    await folder.abandon(later)
    const third = hostOn(machineWith(new Map([[300, '3000']])), 300)
    const lock = await folder.take(third)
    expect(lock.takenOver).toBe(false)
    expect(folder.names).toHaveLength(3)
    expect(await findHolder(third, folder.path)).toMatchObject({ pid: 300 })
    await lock.release()
    expect(folder.names).toEqual([])
  })

  it('of a process of the same number that began at another time is stale', async () => {
    await folder.abandon(one)
    const reused = machineWith(new Map([...processes, [100, '9999']]))
    await folder.take(hostOn(reused, 200))
    expect(folder.names).toHaveLength(2)
  })

  it('of a process that cannot be seen is held', async () => {
    await folder.abandon(one)
    const blind: Place = { ...machine, process: () => undefined }
    expect((await refusal(folder.take(hostOn(blind, 200)))).message).toBe(
      'run R is in use by process 100',
    )
  })

  it.each(elsewhere)('of %s is never stale by itself', async (_, change) => {
    await folder.abandon(one)
    const away = hostOn(machineWith(new Map([[200, '2000']]), change), 200)
    expect(await findHolder(away, folder.path)).toMatchObject({
      pid: 100,
      host: 'web-1',
      isHere: false,
    })
    const error = await refusal(folder.take(away))
    expect(error.exitCode).toBe(11)
    expect(error.message).toMatch(/^run R is in use by process 100 on "web-1"/)
    expect(error.details.hint).toContain('--take-over')
    expect(folder.names).toEqual(['lock'])
  })

  it('says when the host has the same name', async () => {
    await folder.abandon(one)
    const container = hostOn(machineWith(processes, { pidNamespace: 'pid:[4026532500]' }), 200)
    expect((await refusal(folder.take(container))).message).toBe(
      'run R is in use by process 100 on "web-1" (in another container)',
    )
    expect(describeHolder('unreadable')).toBe('an unknown process')
  })

  it.each(['machine', 'host', 'boot', 'pidNamespace'] as const)(
    'whose %s cannot be read equals nothing, another such lock included',
    async (field) => {
      const gone = new Map([[200, '2000']])
      for (const [holder, contender] of [
        [null, null],
        [null, here[field]],
        [here[field], null],
      ]) {
        await folder.abandon(hostOn(machineWith(processes, { [field]: holder }), 100))
        const error = await refusal(
          folder.take(hostOn(machineWith(gone, { [field]: contender }), 200)),
        )
        expect(error.message).toContain('is in use by process 100')
        folder.empty()
      }
    },
  )

  it('without /proc: host name, time of boot and number', async () => {
    const booted = (name: string | null, at: number | null, running: Processes): Place => {
      const identity = identityOf([name, 'booted', at === null ? null : String(at)])
      return { ...machineWith(running), host: name, identity }
    }
    await folder.abandon(hostOn(booted('web-1', 1_000_000, processes), 100))
    const gone = new Map([[200, '2000']])
    for (const [name, at] of [
      ['web-1', 2_000_000],
      ['web-2', 1_000_000],
      [null, 1_000_000],
      ['web-1', null],
    ] as const) {
      const away = hostOn(booted(name, at, gone), 200)
      expect((await refusal(folder.take(away))).message).toContain('is in use by process 100')
    }
    const again = hostOn(booted('web-1', 1_000_900, processes), 200)
    expect((await refusal(folder.take(again))).message).toContain('process 100')
    const lock = await folder.take(hostOn(booted('web-1', 1_000_900, gone), 200))
    expect(lock.takenOver).toBe(false)
  })
})

describe('what stands in its place', () => {
  const things: Readonly<Record<string, (path: string) => void>> = {
    'a FIFO': (path) => {
      if (spawnSync('sh', ['-c', 'mkfifo "$1"', 'sh', path]).status !== 0)
        throw new Error('no FIFO could be made')
    },
    'a folder': (path) => mkdirSync(path),
    'a symbolic link': (path) => symlinkSync('/nowhere', path),
    'a symbolic link to a device': (path) => symlinkSync('/dev/zero', path),
    'an empty file': () => folder.put(''),
    'a huge file': () => folder.put(`{"schema":"svc.lock/3",${' '.repeat(5000)}}`),
    'no JSON': () => folder.put('{'),
    'JSON of something else': () => folder.put('[1]'),
    'a lock of a newer svc': () =>
      folder.put('{"schema":"svc.lock/4","counter":"0000000001","pid":1,"token":"ab","since":1}'),
    'a token that leads out of the folder': () =>
      folder.put(
        '{"schema":"svc.lock/3","counter":"0000000001","pid":1,"token":"../../x","since":1}',
      ),
    'a lock of version 1.0': () =>
      folder.put('{"pid":1,"boot":null,"start":"1000","at":1,"mark":"abcdef"}'),
  }

  it.each(Object.entries(things))('%s is refused at once, with its path', async (_, make) => {
    make(join(folder.path, 'lock'))
    for (const takeOver of [false, true]) {
      const error = await refusal(folder.take(one, { takeOver }))
      expect(error.exitCode).toBe(10)
      expect(error.message).toBe(`the lock of run R cannot be read: ${join(folder.path, 'lock')}`)
      expect(error.details.hint).toContain('remove that file')
    }
    expect(await findHolder(one, folder.path)).toBe('unreadable')
  })

  it('stale locks in a circle are refused', async () => {
    await folder.abandon(one)
    const { token } = folder.read() as { token: string }
    folder.put(folder.text(), `lock.${token}`)
    expect((await refusal(folder.take(later))).message).toContain('cannot be read')
    expect(await findHolder(later, folder.path)).toBe('unreadable')
    const other = JSON.stringify({ ...folder.read(), counter: '0000000000', token: 'ab' })
    folder.put(other, `lock.${token}`)
    folder.put(folder.text(), 'lock.ab')
    expect((await refusal(folder.take(later))).message).toContain('cannot be read')
  })
})
