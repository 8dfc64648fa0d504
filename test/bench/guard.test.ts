/**
 * Speed as counts, which cannot flake: modules that a command loads, bytes of the build, requests and syncs of a run. Each
 * has a ceiling a little above what it is; `npm run bench` has the times.
 */
import { createHook } from 'node:async_hooks'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chunksOf } from '../../src/bulk/record/disk.ts'
import { createSandboxWorld, root } from '../svc.ts'
import { ownFolder } from '../ending.ts'

const world = await createSandboxWorld()
const folder = ownFolder('guard')

interface Loaded {
  /** Files of the build, without those of a name with a hash. */
  readonly pieces: string[]
  /** Of their code. */
  readonly bytes: number
  /** Of their code cache. */
  readonly cached: number
  /** Packages whose code is in them. */
  readonly packages: string[]
  readonly builtins: string[]
}

/** What a command loads; svc runs beside this process, against its sandbox. */
async function loadedBy(...words: string[]): Promise<Loaded> {
  const list = join(folder, 'modules.json')
  const env = { ...world.env, BENCH_MODULES: list, HOME: folder }
  const child = spawn(
    process.execPath,
    ['--require', join(root, 'test/bench/modules.cjs'), join(root, 'bin/svc.js'), ...words],
    // A stdout that is ignored is one that svc finds closed.
    { env, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  child.stdout.resume()
  await new Promise((resolve) => child.on('exit', resolve))
  const { pieces, builtins } = JSON.parse(readFileSync(list, 'utf8')) as { pieces: string[]; builtins: string[] }
  const code = pieces.map((name) => readFileSync(join(root, 'dist', `${name}.js`), 'utf8')).join('')
  const sizeOf = (name: string): number => statSync(join(root, 'dist', name)).size
  return {
    pieces: pieces.map((name) => name.replace(/-[A-Z0-9]{8}$/, '')),
    bytes: pieces.reduce((sum, name) => sum + sizeOf(`${name}.js`), 0),
    cached: pieces.reduce((sum, name) => sum + sizeOf(`${name}.cache`), 0),
    packages: [...new Set(code.match(/(?<=node_modules\/)(?:@[\w-]+\/)?[\w-]+/g))].sort(),
    builtins,
  }
}

const kilobyte = 1024

describe('what a command loads', () => {
  test('--version, help and completion: no framework', async () => {
    for (const [words, expected] of [
      [['--version'], []],
      [['--help'], ['start']],
      [['lists', 'list', '--help'], ['start']],
      [
        ['__complete', '--', 'lists', ''],
        ['start', 'words'],
      ],
    ] as const) {
      const { pieces, bytes, cached, packages, builtins } = await loadedBy(...words)
      expect(pieces).toEqual(expected)
      expect(bytes).toBeLessThan(26 * kilobyte)
      expect(cached).toBeLessThan(53 * kilobyte)
      expect(packages).toEqual([])
      // Streams, terminals and checksums take as long to load as all else together.
      for (const builtin of builtins) expect(['fs', 'path', 'vm']).toContain(builtin)
    }
  })

  test('a usage error: no framework, and the framework with one noun where an option has a value', async () => {
    const told = await loadedBy('lists', 'list', '--nope')
    expect(told.pieces).toEqual(['start', 'words', 'told'])
    expect(told.bytes).toBeLessThan(82 * kilobyte)
    expect(told.cached).toBeLessThan(135 * kilobyte)
    expect([told.packages, told.builtins]).toEqual([[], ['fs', 'path', 'vm']])
    const { pieces, packages, builtins } = await loadedBy('lists', 'list', '--nope', '--limit', '1')
    expect(pieces).toEqual(['start', 'words', 'engine', 'told'])
    expect(packages).toEqual(['@commander-js/extra-typings', 'commander'])
    for (const heavy of ['http', 'tls', 'crypto', 'http2', 'child_process', 'perf_hooks'])
      expect(builtins).not.toContain(heavy)
  })

  test('a networked command: the client, and neither tables nor configuration files nor the sandbox', async () => {
    const { pieces, bytes, cached, packages, builtins } = await loadedBy('lists', 'list', '--json', '--limit', '1')
    expect(pieces).toEqual(['start', 'words', 'engine', 'told', 'network'])
    expect(bytes).toBeLessThan(465 * kilobyte)
    expect(cached).toBeLessThan(700 * kilobyte)
    // Neither cli-table3 nor cosmiconfig nor a bar nor a prompt.
    expect(packages).toEqual(['@commander-js/extra-typings', 'commander', 'undici'])
    expect(builtins).toContain('crypto')
    for (const needless of ['http', 'http2', 'tls', 'child_process', 'readline', 'perf_hooks'])
      expect(builtins).not.toContain(needless)
  })

  test('what workbooks are read with: for a workbook only', async () => {
    const ids = join(folder, 'few.txt')
    writeFileSync(ids, `${'f'.repeat(24)}\n`)
    const workbook = join(root, 'test/ids/fixtures/customers.xlsx')
    const [text, sheet] = [await loadedBy('ids', 'check', ids), await loadedBy('ids', 'check', workbook)]
    expect([text.pieces.includes('xlsx'), text.packages.includes('saxes')]).toEqual([false, false])
    expect([sheet.pieces.includes('xlsx'), sheet.packages.includes('saxes')]).toEqual([true, true])
    expect(sheet.bytes - text.bytes).toBeLessThan(90 * kilobyte)
  })
})

test('the code cache of every piece is one that this Node accepts, and it holds functions that have run', () => {
  const script = `
    const { readdirSync, readFileSync } = require('node:fs'), { Script } = require('node:vm')
    const rejected = readdirSync('.').filter((name) => name.endsWith('.js')).filter((name) =>
      new Script(readFileSync(name, 'utf8'), { cachedData: readFileSync(name.replace(/js$/, 'cache')) }).cachedDataRejected)
    console.log(JSON.stringify(rejected))`
  const dist = join(root, 'dist')
  expect(JSON.parse(execFileSync(process.execPath, ['-e', script], { cwd: dist, encoding: 'utf8' }))).toEqual([])
  for (const piece of ['start', 'words', 'told', 'engine', 'network', 'nouns', 'table', 'bulk'])
    expect(statSync(join(dist, `${piece}.cache`)).size).toBeGreaterThan(15 * kilobyte)
})

test('the build is small and needs no package', () => {
  const bytesOf = (ending: RegExp): number =>
    readdirSync(join(root, 'dist'))
      .filter((name) => ending.test(name))
      .reduce((sum, name) => sum + statSync(join(root, 'dist', name)).size, 0)
  expect(bytesOf(/(?<!\.cache)$/)).toBeLessThan(2.2 * 1024 * kilobyte)
  expect(bytesOf(/\.cache$/)).toBeLessThan(1.5 * 1024 * kilobyte)
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { dependencies?: object }
  expect(manifest.dependencies ?? {}).toEqual({})
})

test('the help that was built in is the help of the program', () => {
  for (const words of [[], ['lists'], ['lists', 'add-contacts']]) {
    const print = (...more: string[]): string =>
      execFileSync(process.execPath, [join(root, 'bin/svc.js'), ...words, ...more], { encoding: 'utf8' })
    // With another option beside it the framework answers.
    expect(print('--help')).toBe(print('--help', '--quiet'))
  }
})

test('a mistake that is told without the framework is told as with it', async () => {
  const lines =
    'foo|lists lst|lists list --nope|lists list a|lists get|lists get --json=name|lists diff a b c -q|-x lists list|--nope lists a'
  for (const line of lines.split('|')) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'bin/svc.js'), ...line.split(' ')], {
      env: { PATH: process.env['PATH'] },
      encoding: 'utf8',
    })
    // The sources have no pages that the build printed: the framework answers.
    const expected = await world.svc(line.split(' '))
    expect({ line, code: status, stdout, stderr }).toEqual({ line, ...expected, code: 2 })
  }
})

describe('a run of 1,000 ids in batches of 100', () => {
  const ids = join(folder, 'ids.txt')
  writeFileSync(ids, Array.from({ length: 1000 }, (_, n) => `${n.toString(16).padStart(24, 'f')}\n`).join(''))

  test('10 requests, one for each batch', async () => {
    const before = world.sandbox.requests.length
    const { code } = await world.svc(['contacts', 'delete', '--file', ids, '--yes', '--ignore-not-found', '--json'])
    expect(code).toBe(0)
    expect(world.sandbox.requests.length - before).toBe(10)
  })
})

test('32 requests in flight, in a process of its own: not a word on stderr', async () => {
  const ids = join(folder, 'many.txt')
  writeFileSync(ids, Array.from({ length: 200 }, (_, n) => `${n.toString(16).padStart(24, 'e')}\n`).join(''))
  world.sandbox.setFaults('latency=50ms, contacts.delete:5-20=503')
  const words = [
    'contacts',
    'delete',
    '--file',
    ids,
    '--yes',
    '--ignore-not-found',
    '--concurrency',
    '32',
    '--batch-size',
    '2',
  ]
  const child = spawn(process.execPath, [join(root, 'bin/svc.js'), ...words, '--json'], {
    env: world.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let stderr = ''
  child.stderr.on('data', (data: Buffer) => (stderr += data.toString()))
  const code = await new Promise((resolve) => child.on('close', resolve))
  world.sandbox.setFaults()
  expect(stderr.split('\n').filter((line) => line !== '' && !line.startsWith('{'))).toEqual([])
  // Nobody was there: nothing is certainly deleted, and what is gone followed answered 503s alone.
  expect(code).toBe(3)
})

test('history and members: no request more than pages and chunks', async () => {
  const requests = async (line: string): Promise<number> => {
    const before = world.sandbox.requests.length
    expect((await world.svc(line)).code).toBe(0)
    return world.sandbox.requests.length - before
  }
  const { examples } = world.sandbox
  expect(await requests(`tickets history ${examples.tickets.active} --limit 20 --json`)).toBe(1)
  expect(await requests(`lists members ${examples.list} -o ids`)).toBe(3)
  expect(await requests('lists list --limit 100 --json')).toBe(1)
  expect(await requests('lists get VIP --json')).toBe(3)
})

test('a recorded file: a small one takes no trip through the thread pool, a large one takes some, and both are whole', async () => {
  const tripsFor = async (size: number): Promise<number> => {
    const path = join(folder, 'recorded')
    writeFileSync(path, Buffer.alloc(size, 'x'))
    let [trips, read] = [0, 0]
    const hook = createHook({ init: (_id, type) => (trips += type.startsWith('FSREQ') ? 1 : 0) }).enable()
    for await (const chunk of chunksOf(path, 'run')) read += chunk.length
    hook.disable()
    expect(read).toBe(size)
    return trips
  }
  expect(await tripsFor(0)).toBe(0)
  expect(await tripsFor(10_000)).toBe(0)
  expect(await tripsFor(1 << 20)).toBeGreaterThan(4)
})
