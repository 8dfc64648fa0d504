/**
 * Folders that somebody else has filled. Whatever lies in the current folder, in that of the configuration, and beside a file that --config
 * names: nothing of it is executed, and base URL, key and secret are the user's own, or there is an error. Every planted program would leave
 * a marker behind.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { startSvc } from '../runs/spawned.ts'
import { readConfiguration } from '../../src/config/profile.ts'
import { answering, http } from '../http/loopback.ts'
import { ownFolder } from '../ending.ts'
import { createSandboxWorld } from '../svc.ts'
import { world, type World } from './world.ts'

/** Whom the planted files name: it must hear nothing. */
const stranger = await answering((socket) => socket.write(http(200, '{"data":[]}')))
const evil = stranger.baseUrl

/** Files planted in a folder, by path. A function makes a symbolic link. */
type Plant = Record<string, string | ((path: string) => void)>
/** What is planted, if every program in it leaves a file at `marker`. */
type Folder = (marker: string) => Plant

const evilProfiles = JSON.stringify({
  current: 'prod',
  profiles: { prod: { baseUrl: evil, apiKey: 'pk_evil', apiSecret: 'x'.repeat(8) } },
})

function cjs(marker: string): string {
  return `require('node:fs').writeFileSync(${JSON.stringify(marker)}, 'executed')\nmodule.exports = ${evilProfiles}`
}

function esm(marker: string): string {
  return `import { writeFileSync } from 'node:fs'\nwriteFileSync(${JSON.stringify(marker)}, 'executed')\nexport default ${evilProfiles}`
}

function shell(marker: string): string {
  return `#!/bin/sh\ntouch '${marker}'\necho stolen\n`
}

const program =
  (name: string): Folder =>
  (marker) => ({ [name]: /mjs|ts$/.test(name) ? esm(marker) : cjs(marker) })

const endings = ['js', 'cjs', 'mjs', 'ts']
const executables = ['.svcrc', '.config/svcrc', 'svc.config', '.config/config'].flatMap((stem) =>
  endings.map((ending) => `${stem}.${ending}`),
)

const evilModule: Folder = (marker) => ({ 'evil.cjs': cjs(marker), 'evil.js': cjs(marker) })

/** Files beside a module that they name. */
const besideModule =
  (plant: Plant): Folder =>
  (marker) => ({ ...evilModule(marker), ...plant })

const folders: Readonly<Record<string, Folder>> = {
  ...Object.fromEntries(executables.map((name) => [name, program(name)])),
  '.config/config.json that imports': besideModule({
    '.config/config.json': '{"$import": "../evil.cjs"}',
  }),
  '.config/config.yaml with loaders and places': besideModule({
    '.config/config.yaml':
      'cosmiconfig:\n  $import: ../evil.cjs\n  searchPlaces: [evil.cjs]\n  searchStrategy: project\n',
  }),
  'package.json with keys for svc and cosmiconfig': besideModule({
    'package.json': JSON.stringify({
      svc: { ...JSON.parse(evilProfiles), $import: './evil.cjs' },
      cosmiconfig: { $import: './evil.cjs', searchPlaces: ['evil.cjs'] },
    }),
  }),
  '.svcrc without an ending': () => ({ '.svcrc': evilProfiles }),
  '.svcrc.json that is a link to a program': besideModule({
    '.svcrc.json': (path) => symlinkSync('evil.js', path),
  }),
  'a program with the name of the secret command, with the folder on PATH': (marker) => ({
    'secret-tool': shell(marker),
    'bin/secret-tool': shell(marker),
  }),
  'programs and packages by the names of those that svc or a shell may start or load': (marker) => {
    const programs = 'pass sh stty less git node_modules/.bin/secret-tool'.split(' ')
    const packages = 'undici commander cosmiconfig valibot'.split(' ')
    return {
      ...Object.fromEntries(programs.map((name) => [name, shell(marker)])),
      ...Object.fromEntries(packages.map((name) => [`node_modules/${name}/index.js`, cjs(marker)])),
      'index.js': cjs(marker),
      '.env': `SVC_BASE_URL=${evil}\nNODE_OPTIONS=--require ./index.js\n`,
      '.npmrc': 'node-options=--require ./index.js\n',
    }
  },
  'a parent folder with a project file': (marker) => ({
    '../.svcrc.json': evilProfiles,
    '../.svcrc.js': cjs(marker),
    '../.config/config.js': cjs(marker),
  }),
}

/** Every planted program would leave a file here. */
const markers = ownFolder('markers')
const before = process.cwd()
let where: World

beforeEach(() => {
  where = world({ env: { PATH: `.::bin:./bin:${process.env.PATH ?? ''}` } })
  process.chdir(where.project)
})

afterEach(() => process.chdir(before))

function fill(folder: Folder, marker: string, root = where.project): void {
  for (const [name, content] of Object.entries(folder(marker))) {
    const path = join(root, name)
    mkdirSync(dirname(path), { recursive: true })
    if (typeof content === 'string') writeFileSync(path, content, { mode: 0o755 })
    else content(path)
  }
}

const lines = [
  'lists list --json',
  'lists list --limit 1 --json',
  'employees list -o ids',
  'doctor --json',
  'profiles list',
  'api /v1/lists --query limit=1',
  'contacts delete 0123456789abcdef01234567 -p prod --yes --json --accept not-found',
  'completion bash',
  'runs list',
  'help configuration',
]

it('whole commands, as processes, do their work in a folder with all that is ignored', async () => {
  const { sandbox } = await createSandboxWorld()
  const [key] = sandbox.keys
  const own = ownFolder('own-programs')
  writeFileSync(join(own, 'secret-tool'), `#!/bin/sh\necho '${key?.apiSecret}'\n`, { mode: 0o700 })
  const prod = { baseUrl: sandbox.baseUrl, apiKey: key?.apiKey, secretCommand: ['secret-tool'] }
  const content = { current: 'prod', profiles: { prod } }
  where.write('config.json', content)
  const beside = ownFolder('beside')
  const named = join(beside, 'named/own.json')
  mkdirSync(dirname(named))
  writeFileSync(named, JSON.stringify(content), { mode: 0o600 })
  for (const root of [where.project, where.config, dirname(named)])
    for (const [name, folder] of Object.entries(folders)) {
      fill(folder, join(markers, `${root} ${name}`.replaceAll('/', ' ')), root)
    }
  // The folder itself comes first on PATH, as some have it.
  const env = { HOME: where.home, PATH: `.:bin:./bin:${own}:${process.env['PATH'] ?? ''}` }
  const withFile = lines.slice(0, 2).map((line) => ({ line, more: { SVC_CONFIG: named } }))
  for (const { line, more } of [...lines.map((each) => ({ line: each, more: {} })), ...withFile]) {
    const { code, stderr } = await startSvc(line, { env: { ...env, ...more }, cwd: where.project })
      .ended
    expect([line, code], stderr).toEqual([line, 0])
  }
  expect(sandbox.requests.length).toBeGreaterThan(4)
})

it('nothing of all this was executed, and nobody else was asked anything', async () => {
  expect(stranger.requests).toEqual([])
  // Imports that were started run to their end.
  await new Promise((resolve) => setTimeout(resolve, 1000))
  const executed = readdirSync(markers)
  expect(executed).toEqual([])
})

it('are many, and each ending that cosmiconfig executes is among them', async () => {
  expect(Object.keys(folders).length).toBeGreaterThanOrEqual(24)
  const { getDefaultSearchPlaces, globalConfigSearchPlaces } = await import('cosmiconfig')
  const known = [
    ...getDefaultSearchPlaces('svc'),
    ...globalConfigSearchPlaces.map((place) => `.config/${place}`),
  ]
  const executed = known.filter((place) => /\.(?:[cm]?js|ts)$/.test(place))
  expect(executables).toEqual(expect.arrayContaining(executed))
})

it('a named file that imports a program is refused, in JSON and in YAML', async () => {
  const marker = join(where.folder, 'executed')
  fill(evilModule, marker)
  for (const name of ['named.json', 'named.yaml']) {
    const SVC_CONFIG = where.plant(name, '{"$import": "./evil.cjs"}')
    chmodSync(SVC_CONFIG, 0o600)
    const host = { ...where.host, env: { ...where.host.env, SVC_CONFIG } }
    await expect(readConfiguration(host, {})).rejects.toThrow('has the key "$import"')
  }
  expect(existsSync(marker)).toBe(false)
})
