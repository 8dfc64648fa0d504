/** Speed as counts, which cannot flake: modules and bytes of code that a command loads. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSandboxWorld, root } from '../../support/svc.ts'
import { start } from '../../support/spawned.ts'

const world = await createSandboxWorld()
const preloaded = join(root, 'test/promises/speed/modules.cjs')
const kilobyte = 1024
/** Streams, terminals and checksums take as long to load as all else together. */
const heavy = /^(?:http2?|tls|crypto|perf_hooks|readline|stream)$/
/** What a request does not need, and checksums. */
const beside = /^(?:tls|crypto|perf_hooks|readline)$/
/** All but the loader, which is there already, and files. */
const anyOther = /^(?!fs$|module$)/

/** The most kilobytes of code, the packages in it, and those of Node's modules that are loaded. */
test.each<[line: string, most: number, packages: string[], builtins: string[], of?: RegExp]>([
  ['--version', 12, [], [], anyOther],
  ['--help', 114, ['commander'], []],
  ['contacts find --help', 151, ['commander'], []],
  // Its page has the engine: SHA-256 of keys.
  ['contacts delete --help', 250, ['commander'], ['crypto']],
  ['lists list --nope', 140, ['commander'], []],
  ['__complete -- lists list -', 118, ['commander'], []],
  // Neither cli-table3 nor cosmiconfig nor a bar nor a prompt.
  ['lists list --json --limit 1', 505, ['commander', 'undici'], ['crypto'], beside],
])('svc %s loads at most %i KB', async (line, most, packages, builtins, of = heavy) => {
  const list = join(world.folder, 'modules.json')
  const env = { ...world.env, BENCH_MODULES: list }
  const words = ['--require', preloaded, join(root, 'bin/svc.js'), ...line.split(' ')]
  await start(process.execPath, words, { env }).ended
  const loaded = JSON.parse(readFileSync(list, 'utf8')) as Record<'chunks' | 'builtins', string[]>
  const files = loaded.chunks.map((name) => readFileSync(join(root, 'dist', `${name}.js`), 'utf8'))
  // Strings are cut where a line would be too long.
  const code = files.join('').replaceAll('\\\n', '')
  expect(code.length).toBeLessThan(most * kilobyte)
  const found = new Set(code.match(/(?<=node_modules\/)(?:@[\w-]+\/)?[\w-]+/g))
  expect([...found].toSorted()).toEqual(packages)
  expect(loaded.builtins.filter((name) => of.test(name)).toSorted()).toEqual(builtins)
})

test('no module that executes a configuration file is in the build', () => {
  const packages = JSON.parse(readFileSync(join(root, 'dist/packages.json'), 'utf8')) as {
    name: string
  }[]
  const names = packages.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['undici', 'commander', 'cosmiconfig']))
  for (const name of ['import-fresh', 'parse-json', 'typescript']) expect(names).not.toContain(name)
})
