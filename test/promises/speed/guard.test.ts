/**
 * Speed as counts, which cannot flake: modules that a command loads, and bytes of their code. Each
 * has a ceiling a little above what it is; `npm run bench` has the times.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createSandboxWorld, root } from '../../support/svc.ts'
import { ownFolder } from '../../support/ending.ts'

const world = await createSandboxWorld()
const folder = ownFolder('guard')

/** The modules that a command loads. svc runs as another process, against this one's sandbox. */
async function loadedBy(...words: string[]) {
  const list = join(folder, 'modules.json')
  const env = { ...world.env, BENCH_MODULES: list, HOME: folder }
  const child = spawn(
    process.execPath,
    [
      '--require',
      join(root, 'test/promises/speed/modules.cjs'),
      join(root, 'bin/svc.js'),
      ...words,
    ],
    // A stdout that is ignored is one that svc finds closed.
    { env, stdio: ['ignore', 'pipe', 'ignore'] },
  )
  child.stdout.resume()
  await new Promise((resolve) => child.on('exit', resolve))
  const { chunks, builtins } = JSON.parse(readFileSync(list, 'utf8')) as {
    chunks: string[]
    builtins: string[]
  }
  const files = chunks.map((name) => readFileSync(join(root, 'dist', `${name}.js`), 'utf8'))
  // Texts are cut where a line would be too long.
  const code = files.join('').replaceAll('\\\n', '')
  return {
    /** Files of the build, without the hashes behind their names. */
    chunks: chunks.map((name) => name.replace(/-[A-Z0-9]{8}$/, '')),
    /** The bytes of their code. */
    bytes: code.length,
    /** Packages whose code is in them. */
    packages: [...new Set(code.match(/(?<=node_modules\/)(?:@[\w-]+\/)?[\w-]+/g))].sort(),
    builtins,
  }
}

const kilobyte = 1024
const oneList = ['lists', 'list', '--json', '--limit', '1']

describe('the modules that a command loads', () => {
  test('--version: the smallest chunks alone', async () => {
    const { chunks, bytes, packages, builtins } = await loadedBy('--version')
    expect(chunks.length).toBeLessThan(5)
    expect(bytes).toBeLessThan(12 * kilobyte)
    expect(packages).toEqual([])
    // Streams, terminals and checksums take as long to load as all else together.
    // node:module is the loader itself, which is there already.
    expect(builtins).toEqual(['fs', 'module'])
  })

  test.each<[string, number, string[]?]>([
    ['--help', 114],
    ['contacts find --help', 151],
    // Its page has the engine: SHA-256 of keys.
    ['contacts delete --help', 250, ['crypto']],
    ['lists list --nope', 140],
    ['__complete -- lists list -', 118],
  ])('svc %s: no request', async (line, most, needed = []) => {
    const { bytes, builtins } = await loadedBy(...line.split(' '))
    expect(bytes).toBeLessThan(most * kilobyte)
    for (const heavy of ['http', 'tls', 'crypto', 'http2', 'perf_hooks', 'stream'])
      expect(builtins.includes(heavy)).toBe(needed.includes(heavy))
  })

  test('a networked command: the client, and neither tables nor configuration files nor the sandbox', async () => {
    const { bytes, packages, builtins } = await loadedBy(...oneList)
    expect(bytes).toBeLessThan(505 * kilobyte)
    // Neither cli-table3 nor cosmiconfig nor a bar nor a prompt.
    expect(packages).toEqual(['commander', 'undici'])
    expect(builtins).toContain('crypto')
    for (const needless of ['tls', 'readline', 'perf_hooks'])
      expect(builtins).not.toContain(needless)
  })
})

test('no module that executes a configuration file is in the build', () => {
  const packages = JSON.parse(readFileSync(join(root, 'dist/packages.json'), 'utf8')) as {
    name: string
  }[]
  const names = packages.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['undici', 'commander', 'cosmiconfig']))
  for (const name of ['import-fresh', 'parse-json', 'typescript']) expect(names).not.toContain(name)
})
