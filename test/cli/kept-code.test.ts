/** Compiled code that is kept: it is run, so it lies where nobody else may write, is that of this build, and no command fails for it. */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { createSandboxWorld, root } from '../svc.ts'
import { ownFolder } from '../ending.ts'

const world = await createSandboxWorld()

const preload = join(root, 'test/cli/kept-code.cjs')
const words = ['lists', 'list', '--json', '--limit', '2']

/** A start of the build as people have it. `uses`: whether it compiled requests' code anew, took it from the file, or knows nothing of it. */
interface Start {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly uses: 'nothing' | 'new code' | 'kept code' | 'refused code'
}

let home = ''
let codeFolder = ''
beforeEach(() => {
  home = ownFolder('kept-code')
  codeFolder = join(home, '.cache/svc/code')
})

/** `program`: the folder of another build. `flags`: of Node. */
interface Others {
  readonly program?: string
  readonly line?: readonly string[]
  readonly flags?: readonly string[]
}

async function start(
  env: Readonly<Record<string, string>> = {},
  { program = root, line = words, flags = [] }: Others = {},
): Promise<Start> {
  const report = join(home, 'report')
  rmSync(report, { force: true })
  const child = spawn(
    process.execPath,
    [...flags, '--require', preload, join(program, 'bin/svc.js'), ...line],
    {
      env: { ...world.env, HOME: home, XDG_CACHE_HOME: '', KEPT_CODE: report, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const [stdout, stderr] = [text(child.stdout), text(child.stderr)]
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  const uses = readFileSync(report, 'utf8') as Start['uses']
  return { code, stdout: await stdout, stderr: await stderr, uses }
}

async function text(stream: NodeJS.ReadableStream): Promise<string> {
  let all = ''
  for await (const piece of stream) all += String(piece)
  return all
}

function onlyFile(): string {
  const [name = '', ...more] = readdirSync(codeFolder)
  expect(more).toEqual([])
  return join(codeFolder, name)
}

test('the first start keeps code, and the second one runs it: in a file of this user alone, and the output is the same', async () => {
  const plain = await start({ SVC_NO_CACHE: '1' })
  expect(plain).toMatchObject({ code: 0, stderr: '', uses: 'nothing' })
  expect(await start()).toEqual({ ...plain, uses: 'new code' })
  const file = onlyFile()
  expect(lstatSync(codeFolder).mode & 0o777).toBe(0o700)
  expect(lstatSync(file).mode & 0o777).toBe(0o600)
  const before = readFileSync(file)
  expect(await start()).toEqual({ ...plain, uses: 'kept code' })
  expect(readFileSync(file).equals(before)).toBe(true)
})

test('a mistake in the line, help and a command that sends nothing know nothing of it, and are as ever', async () => {
  await start()
  for (const line of [
    ['lists', 'list', '--nope'],
    ['lists', 'list', '--limit', 'none'],
  ]) {
    const plain = await start({ SVC_NO_CACHE: '1' }, { line })
    expect(plain.code).toBe(2)
    expect(await start({}, { line })).toEqual({ ...plain, uses: 'nothing' })
  }
  expect((await start({}, { line: ['lists', 'list', '--limit', '2', '--help'] })).uses).toBe(
    'nothing',
  )
  const ids = join(home, 'ids.txt')
  writeFileSync(ids, `${'a'.repeat(24)}\n`)
  expect(await start({}, { line: ['ids', 'check', ids] })).toMatchObject({
    code: 0,
    uses: 'nothing',
  })
})

test('a command that fails keeps no code: little of it ran', async () => {
  expect(await start({ SVC_API_SECRET: 'wrong' })).toMatchObject({ code: 4, uses: 'new code' })
  expect(readdirSync(codeFolder)).toEqual([])
})

test('a draft that a kill left behind goes after an hour, and one that another process writes stays', async () => {
  mkdirSync(codeFolder, { recursive: true, mode: 0o700 })
  const [old, fresh] = [join(codeFolder, 'v1.1.draft'), join(codeFolder, 'v1.2.draft')]
  for (const draft of [old, fresh]) writeFileSync(draft, 'half')
  const before = Date.now() / 1000 - 3_700
  utimesSync(old, before, before)
  await start()
  expect([existsSync(old), existsSync(fresh)]).toEqual([false, true])
  expect((await start()).uses).toBe('kept code')
})

describe('code that is not run, and is replaced', () => {
  test('a torn file, one with a changed byte, and one that is empty', async () => {
    const { stdout } = await start()
    const file = onlyFile()
    const whole = readFileSync(file)
    const damages = [
      () => truncateSync(file, whole.length - 1),
      () => truncateSync(file, 20),
      () => truncateSync(file, 0),
      ...[3, 40, whole.length >> 1].map((at) => () => {
        const bytes = Buffer.from(whole)
        bytes.writeUInt8(bytes.readUInt8(at) ^ 0x55, at)
        writeFileSync(file, bytes)
      }),
    ]
    for (const damage of damages) {
      damage()
      expect(await start()).toEqual({ code: 0, stdout, stderr: '', uses: 'new code' })
      expect((await start()).uses).toBe('kept code')
    }
  })

  test('that of another build, although its text is as long', async () => {
    const program = join(home, 'program')
    for (const folder of ['bin', 'dist'])
      cpSync(join(root, folder), join(program, folder), { recursive: true })
    await start({}, { program })
    const line = ['lists', 'get', 'f'.repeat(24)]
    const piece = join(program, 'dist/api.js')
    const code = readFileSync(piece, 'utf8')
    const sentence = 'the id is unknown to this company'
    writeFileSync(piece, code.replaceAll(sentence, sentence.toUpperCase()))
    const { stderr, uses } = await start({}, { program, line })
    expect([stderr.includes(sentence.toUpperCase()), uses]).toEqual([true, 'new code'])
  })

  test('that of a V8 with other flags', async () => {
    await start()
    const flags = ['--no-opt']
    expect((await start({}, { flags })).uses).toBe('refused code')
    expect((await start({}, { flags })).uses).toBe('kept code')
  })
})

describe('nowhere', () => {
  test('without a home or with SVC_NO_CACHE', async () => {
    expect((await start({ HOME: '' })).uses).toBe('nothing')
    expect((await start({ SVC_NO_CACHE: '1' })).uses).toBe('nothing')
    expect(existsSync(join(home, '.cache'))).toBe(false)
  })

  test('that others can write, be it a folder above, and nothing is made there', async () => {
    for (const open of ['.', '.cache', '.cache/svc']) {
      home = ownFolder('kept-code')
      const above = join(home, open)
      mkdirSync(above, { recursive: true, mode: 0o700 })
      chmodSync(above, 0o770)
      expect((await start()).uses).toBe('nothing')
      expect(existsSync(join(home, '.cache/svc/code'))).toBe(false)
    }
  })

  test('in a file or folder that others can write', async () => {
    await start()
    chmodSync(onlyFile(), 0o620)
    expect((await start()).uses).toBe('nothing')
    chmodSync(onlyFile(), 0o600)
    chmodSync(codeFolder, 0o777)
    expect((await start()).uses).toBe('nothing')
  })

  test('where it cannot be made, and a draft that cannot be written', async () => {
    writeFileSync(join(home, '.cache'), '')
    expect(await start()).toMatchObject({ code: 0, stderr: '', uses: 'nothing' })
    rmSync(join(home, '.cache'))
    expect(await start({ KEPT_CODE_FULL: '1' })).toMatchObject({ code: 0, stderr: '' })
    expect(readdirSync(codeFolder)).toEqual([])
  })
})
