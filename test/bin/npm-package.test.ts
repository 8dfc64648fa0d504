/** The npm package: what is in it, and what somebody has who installs it with Node and npm alone. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../svc.ts'
import { ownFolder } from '../ending.ts'

const folder = ownFolder('npm')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, unknown>
const windows = process.platform === 'win32'

function npm(...words: string[]): string {
  // A cache of its own and no network: everything is in the archive.
  const options = ['--offline', '--cache', join(folder, 'cache'), '--loglevel', 'error']
  const { status, stdout, stderr } = spawnSync('npm', [...words, ...options], {
    cwd: root,
    encoding: 'utf8',
    shell: windows,
  })
  if (status !== 0) throw new Error(stderr)
  return stdout
}

const [archive = ''] = (() => {
  npm('pack', '--ignore-scripts', '--pack-destination', folder)
  return readdirSync(folder).filter((name) => name.endsWith('.tgz'))
})()
const prefix = join(folder, 'installed')
npm('install', '--global', '--prefix', prefix, join(folder, archive))
const [home = ''] = [join(prefix, 'lib/node_modules'), join(prefix, 'node_modules')]
  .map((place) => join(place, '@svc-cli/svc'))
  .filter((place) => existsSync(place))
const program = windows ? join(prefix, 'svc.cmd') : join(prefix, 'bin/svc')

function svc(...words: string[]): { code: number | null; stdout: string; stderr: string } {
  const env = { PATH: process.env['PATH'], HOME: folder, TZ: 'UTC' }
  const { status, stdout, stderr } = spawnSync(program, words, { cwd: folder, env, encoding: 'utf8', shell: windows })
  return { code: status, stdout, stderr }
}

test('it is small, since it has no code caches, which fit one Node only', () => {
  expect(statSync(join(folder, archive)).size).toBeLessThan(600_000)
  expect(readdirSync(join(home, 'dist')).filter((name) => name.endsWith('.cache'))).toEqual([])
})

test('what was installed runs', () => {
  expect(svc('--version')).toEqual({ code: 0, stdout: `${String(manifest['version'])}\n`, stderr: '' })
  expect(svc('sandbox', 'exec', '--', 'svc', 'lists', 'get', 'VIP', '-o', 'ids')).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^[0-9a-f]{24}\n$/) as string,
    stderr: '',
  })
})

test('its pages lead to pages that are there too', () => {
  const pages = readdirSync(home, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.md'))
  const links = pages.flatMap((page) =>
    [...readFileSync(join(home, page), 'utf8').matchAll(/\]\((?!\w+:|#)([^)#]+)/g)].map(([, path = '']) =>
      join(dirname(page), path),
    ),
  )
  expect(links.length).toBeGreaterThan(20)
  expect(links.filter((path) => !existsSync(join(home, path)))).toEqual([])
})

test('nothing is published by accident, nor under a name that is a stranger’s', () => {
  expect(manifest).toMatchObject({ name: '@svc-cli/svc', private: true, publishConfig: { access: 'public' } })
  expect(manifest['scripts']).toMatchObject({ prepublishOnly: 'npm run check && npm test' })
})
