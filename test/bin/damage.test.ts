/** A build that is not what was built: caches are left alone, sources end svc with one clear error. */
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { root, type Result } from '../svc.ts'
import { ownFolder } from '../ending.ts'

interface Installation {
  readonly dist: string
  svc(...words: string[]): Result
  /** Replaces a file of the build by what becomes of its bytes. */
  change(name: string, how: (bytes: Buffer) => Buffer): void
}

function install(): Installation {
  const folder = ownFolder('damage')
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(root, part), join(folder, part), { recursive: true })
  const dist = join(folder, 'dist')
  return {
    dist,
    svc(...words) {
      const env = { PATH: process.env['PATH'], HOME: folder, SVC_API_KEY: 'pk_0123', SVC_API_SECRET: 'sk_0123456789' }
      const ended = spawnSync(process.execPath, [join(folder, 'bin/svc.js'), ...words], { env, encoding: 'utf8' })
      return { code: ended.status ?? NaN, stdout: ended.stdout, stderr: ended.stderr }
    },
    change(name, how) {
      const path = join(dist, name)
      writeFileSync(path, how(readFileSync(path)))
    },
  }
}

/** Of the code of functions, some of which run at every start. */
const flipped = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes)
  for (let at = 2000; at < copy.length; at += 997) copy[at] = (copy[at] ?? 0) ^ 0x55
  return copy
}

const whole = install()
const help = whole.svc('lists', 'list', '--help')
/** Beside an option that has a value only the engine tells it. */
const wrong = ['lists', 'list', '--nope', '--limit', '1']
const mistake = whole.svc(...wrong)

test.runIf(process.platform !== 'win32')('too few open files are no damage: exit 10, saying what to raise', () => {
  const told: string[] = []
  for (let most = 12; most < 40 && told.length === 0; most += 1) {
    const script = `ulimit -n ${most} && exec "$0" bin/svc.js runs list`
    const { status, stderr } = spawnSync('sh', ['-c', script, process.execPath], {
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: '/nonexistent' },
      encoding: 'utf8',
    })
    expect(stderr).not.toContain('damaged')
    // Node itself needs some, and says so in its own way.
    if (stderr.startsWith('error: ') && stderr.includes('too many open files')) told.push(`${status} ${stderr}`)
  }
  expect(told[0]).toMatch(/^10 error: .*raise ulimit -n/)
})

describe('a code cache', () => {
  test('whose bytes changed is not used', () => {
    const { dist, svc, change } = install()
    for (const name of readdirSync(dist).filter((file) => file.endsWith('.cache'))) change(name, flipped)
    expect(svc('lists', 'list', '--help')).toEqual(help)
    expect(svc(...wrong)).toEqual(mistake)
  })

  test('of another source of the same length is not run', () => {
    const { dist, svc } = install()
    const source = readFileSync(join(dist, 'told.js'), 'utf8')
    const other = source.replaceAll('"--output"', '"--outfoo"')
    expect(other).not.toBe(source)
    // V8 keeps in a cache what has run, so the module that knows values is run first.
    const make = `
      const { readFileSync, writeFileSync } = require('node:fs'), { Script } = require('node:vm')
      const script = new Script(readFileSync(0, 'utf8'), { filename: 'told.js' })
      const modules = script.runInThisContext()
      const load = (name) => {
        const module = { exports: {} }
        if (!(name in modules)) return name.startsWith('./') ? {} : require(name)
        modules[name](module.exports, load, module, undefined, () => {})
        return module.exports
      }
      for (const name of Object.keys(modules)) if (name.includes('/values-')) load(name)
      writeFileSync('told.cache', script.createCachedData())`
    execFileSync(process.execPath, ['-e', make], { cwd: dist, input: other })
    const words = ['__complete', '--', '--output', '']
    expect(svc(...words)).toEqual(whole.svc(...words))
  })

  test('is not needed', () => {
    const { dist, svc } = install()
    for (const name of readdirSync(dist).filter((file) => file.endsWith('.cache'))) rmSync(join(dist, name))
    expect(svc('lists', 'list', '--help')).toEqual(help)
    expect(svc(...wrong)).toEqual(mistake)
  })
})

describe('a source', () => {
  const refused = (what: string): Result => ({
    code: 1,
    stdout: '',
    stderr: `error: this installation is damaged: ${what}\n  install svc again\n`,
  })

  test.each(['start.js', 'engine.js'])('%s that changed by a byte is not run', (name) => {
    const { svc, change } = install()
    change(name, (bytes) => Buffer.from(bytes.toString('latin1').replace('--output', '--outfoo'), 'latin1'))
    expect(svc(...wrong)).toEqual(refused(`${name} is not as it was built`))
  })

  test('that is missing, cut off or cannot be read is named', () => {
    const { dist, svc, change } = install()
    change('engine.js', (bytes) => bytes.subarray(0, 1000))
    expect(svc(...wrong)).toEqual(refused('engine.js is not as it was built'))
    rmSync(join(dist, 'engine.js'))
    expect(svc(...wrong)).toEqual(refused('engine.js is missing'))
    mkdirSync(join(dist, 'engine.js'))
    expect(svc(...wrong)).toEqual(refused('engine.js cannot be read (EISDIR)'))
  })

  test('of another piece in its place is not run', () => {
    const { dist, svc } = install()
    for (const ending of ['js', 'cache']) renameSync(join(dist, `nouns.${ending}`), join(dist, `engine.${ending}`))
    expect(svc(...wrong)).toEqual(refused('engine.js is not as it was built'))
  })

  test('that is read late is told in the format that was asked for', () => {
    const { svc, change } = install()
    change('network.js', flipped)
    const { code, stdout, stderr } = svc('lists', 'list', '--json')
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({
      type: 'error',
      time: expect.any(String) as string,
      error: {
        category: 'internal',
        exitCode: 1,
        message: 'this installation is damaged: network.js is not as it was built',
        hint: 'install svc again',
      },
    })
  })

  test('whose failure somebody takes for another one still ends in exit code 1', () => {
    const { dist, svc, change } = install()
    // Completion says nothing when profiles cannot be read: a mistake on a tab is nobody's business.
    const home = join(dist, '../.config/svc')
    mkdirSync(home, { recursive: true })
    writeFileSync(join(home, 'config.json'), JSON.stringify({ profiles: {} }), { mode: 0o600 })
    const [explorer = ''] = readdirSync(dist).filter((name) => /^ExplorerSync-.*\.js$/.test(name))
    expect(svc('__complete', '--', '--profile', '').code).toBe(0)
    change(explorer, flipped)
    change(explorer, (bytes) => Buffer.concat([bytes, Buffer.from(' ')]))
    expect(svc('__complete', '--', '--profile', '')).toEqual(refused(`${explorer} is not as it was built`))
  })

  test('of the HTTP parser is checked before a connection is made', () => {
    const { svc, change } = install()
    change('llhttp.wasm', flipped)
    const { code, stderr } = svc('whoami', '--base-url', 'http://127.0.0.1:9', '--retries', '0')
    expect({ code, stderr }).toEqual({ code: 1, stderr: refused('llhttp.wasm is not as it was built').stderr })
  })
})

test('a manifest that is damaged or missing is no better', () => {
  const { dist, svc, change } = install()
  const told = { code: 1, stdout: '' }
  const message = (what: string): string =>
    `error: this installation is damaged: manifest ${what}\n  install svc again\n`
  for (const how of [flipped, (bytes: Buffer) => bytes.subarray(0, 500), () => Buffer.alloc(0)]) {
    const kept = readFileSync(join(dist, 'manifest'))
    change('manifest', how)
    expect(svc('lists', 'list', '--help')).toEqual({ ...told, stderr: message('is not as it was built') })
    writeFileSync(join(dist, 'manifest'), kept)
  }
  rmSync(join(dist, 'manifest'))
  expect(svc('lists', 'list', '--help')).toEqual({ ...told, stderr: message('is missing') })
})

test('a few corruptions of every kind: no crash, no hang, no wrong output', () => {
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'tools/build/damage.mjs'), '--corruptions', '3'], {
    encoding: 'utf8',
  })
  expect(stdout).toMatch(/^3 corruptions × 7 commands: \d+ as ever, \d+ refused, 0 crashes, 0 hung, 0 wrong outputs\n$/)
  expect(status).toBe(0)
})
