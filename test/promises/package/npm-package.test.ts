/** The npm package: what is in it, and what Node and npm alone install. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../support/svc.ts'
import { ownFolder } from '../../support/ending.ts'

const folder = ownFolder('npm')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
  string,
  unknown
>

/** The files of a clone that are packed, the scripts around that, and some of what is left out. */
const clone = join(folder, 'clone')
const files = (manifest['files'] as string[]).filter((name) => !name.startsWith('!'))
const sources = ['src/main.ts', 'test/support/svc.ts', 'tools/build/bundle.mjs', '.oxlintrc.json']
for (const name of ['package.json', 'README.md', 'LICENSE', 'bin', ...sources, ...files])
  cpSync(join(root, name), join(clone, name), { recursive: true })

function run(program: string, words: readonly string[], cwd: string) {
  const env = { PATH: process.env['PATH'], HOME: folder, TZ: 'UTC' }
  const { status, stdout, stderr } = spawnSync(program, words, { cwd, env, encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

function npm(...words: string[]) {
  // A cache of its own and no network: everything is in the archive.
  const options = ['--offline', '--cache', join(folder, 'cache'), '--loglevel', 'error']
  expect(run('npm', [...words, ...options], clone)).toMatchObject({ code: 0 })
}

// The build is there already.
npm('pack', '--ignore-scripts', '--pack-destination', folder)
const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
const prefix = join(folder, 'installed')
npm('install', '--global', '--prefix', prefix, join(folder, archive))
rmSync(clone, { recursive: true })
const home = join(prefix, 'lib/node_modules/@svc-cli/svc')

test('it is small, and holds the build and the documents: nothing of the sources, and no source maps', () => {
  expect(statSync(join(folder, archive)).size).toBeLessThan(610_000)
  const paths = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(home, name)).isFile(),
  )
  const inside =
    /^(?:dist\/.*(?<!\.map)|docs\/.*|bin\/(?:svc\.js|package\.json)|package\.json|LICENSE|\w+\.md)$/
  expect(paths.filter((name) => !inside.test(name.replaceAll('\\', '/')))).toEqual([])
  const size = paths.reduce((sum, name) => sum + statSync(join(home, name)).size, 0)
  expect(size).toBeLessThan(3 << 20)
})

test('the installed package runs', () => {
  const words = 'sandbox exec -- svc lists get VIP -o ids'.split(' ')
  expect(run(join(prefix, 'bin/svc'), words, folder)).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^[0-9a-f]{24}\n$/) as string,
    stderr: expect.stringContaining('the sandbox has stopped') as string,
  })
})

test('installing it runs nothing, needs no other package, and goes with every system', () => {
  const packed = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    scripts: object
    dependencies?: object
    os?: string[]
  }
  const run = Object.keys(packed.scripts).filter((name) => /^(?:pre|post)?install$/.test(name))
  expect([run, packed.dependencies, packed.os]).toEqual([[], undefined, undefined])
  expect(existsSync(join(home, 'node_modules'))).toBe(false)
})
