/**
 * Holds the simulated disk and its kills against real ones: for each seed the same commands run in a simulated world and as processes that
 * a SIGKILL ends at the same write, with a sandbox on loopback. What is left after each command has to be the same.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { nodeHost } from '../../src/host.ts'
import { bulkOperations } from '../../src/api/operations.ts'
import { operationOf } from '../../src/runs/operations/operations.ts'
import { startSandbox } from '../../src/sandbox/transport.ts'
import { Dice } from './dice.ts'
import type { Death } from './disk.ts'
import { Stage } from './stage.ts'
import { typeMany } from './typed.ts'

interface Scene {
  /** Texts of input files by their paths, and command lines. The home folder of both is `/ana`. */
  readonly files: ReadonlyMap<string, string>
  readonly commands: readonly (readonly string[])[]
  readonly death: Pick<Death, 'nth' | 'where'>
}

interface Ending {
  readonly code: number | 'killed'
  /** Names of all files, receipts, and what the last command printed. */
  readonly left: readonly string[]
}

/** Commands that begin a run, are killed, and go on with it. */
function sceneOf(stage: Stage, dice: Dice): Scene {
  const operation = dice.pick(bulkOperations.filter((name) => operationOf(name).item === 'contact'))
  const { words } = typeMany(stage, dice, operation)
  const named = dice.chance(0.5) ? ['--once', 'job'] : []
  const receipts = dice.chance(0.7) ? ['--receipts', `${home}/receipts.csv`] : []
  const begin = [...words, ...named, ...receipts, '--concurrency', '1', '--yes']
  const goOn = dice.chance(0.5) ? begin : ['runs', 'resume', '--last', ...receipts, '--yes']
  const { disk } = stage.world
  return {
    files: new Map(filesIn(stage).map((path) => [path, disk.readFile(path)?.toString() ?? ''])),
    commands: [
      begin,
      goOn,
      ['runs', 'export', '--last', '-o', 'csv'],
      ['runs', 'prune', '--older-than', '0s'],
    ],
    death: { nth: dice.skewed(1, 100), where: dice.pick(['before', 'within', 'after']) },
  }
}

const home = '/ana'

const filesIn = ({ world }: Stage): string[] =>
  world.disk.tree(home).filter((path) => !path.endsWith('/'))

/** Without what differs from run to run: ids of runs, tokens, the home folder. */
const plain = (text: string, home: string): string =>
  text
    .replaceAll(home, '~')
    .replaceAll(/\d{8}T\d{6}Z-[0-9a-f]{4}/gi, '<run>')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, '<time>')
    .replaceAll(/(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])/g, '<token>')
    // The user of a run, and a column of a table as wide as the name.
    .replaceAll(/\bBY +|\b\w+@\w+ */g, '<by> ')

/** Two runs of one second stand in any order. */
const endingOf = (
  code: Ending['code'],
  names: readonly string[],
  texts: readonly string[],
  home: string,
): Ending => ({
  code,
  left: [
    ...names.map((name) => plain(name, home)).sort(),
    ...texts.map((text) => plain(text, home)),
  ],
})

/** `writesLater`: how many writes after the scene's own the kill comes. */
async function simulated(seed: number, writesLater = 0) {
  const stage = new Stage(seed)
  const { world } = stage
  // As the disk of the real processes.
  Object.assign(world.disk, { hasLinks: true, losesAnswers: 0 })
  const scene = sceneOf(stage, new Dice(seed))
  const { nth, where } = scene.death
  const endings: Ending[] = []
  for (const [n, words] of scene.commands.entries()) {
    const process = world.start(words)
    if (n === 0) world.disk.killAt(process.number, nth + writesLater, where, 0.5)
    await world.clock.until(process.ended)
    const receipts = world.disk.readFile(`${home}/receipts.csv`)?.toString() ?? 'none'
    const code = process.end === 'killed' ? 'killed' : (process.end?.code ?? 1)
    endings.push(endingOf(code, filesIn(stage), [receipts, process.stdout], home))
  }
  return { scene, endings, requests: world.service.log.length, service: world.service.seed }
}

const host = nodeHost(process)

/** `root`: of the repository, which has the build. */
async function real(scene: Scene, service: number, root: string) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'svc-real-')))
  let requests = 0
  const onRequest = (): void => void (requests += 1)
  const sandbox = await startSandbox(host, { seed: service, contacts: 600, onRequest })
  try {
    for (const [path, content] of scene.files)
      writeFileSync(path.replace(home, folder), content, { mode: 0o600 })
    const [key] = sandbox.keys
    const env = {
      ...{ HOME: folder, PATH: process.env['PATH'], TZ: 'UTC' },
      ...{ BATCHES_OF: String(operationOf('contacts.delete').batch.most) },
      SVC_BASE_URL: sandbox.baseUrl,
      SVC_API_KEY: key?.apiKey,
      SVC_API_SECRET: key?.apiSecret,
    }
    const { nth, where } = scene.death
    const preloaded = ['kill-at.cjs', 'small-batches.cjs'].flatMap((name) => [
      '--require',
      join(root, 'tools/harness', name),
    ])
    const endings: Ending[] = []
    for (const [n, words] of scene.commands.entries()) {
      const death = n === 0 ? { KILL_AT: String(nth), KILL_WHERE: where } : {}
      const said = words.map((word) => word.replace(home, folder))
      const child = spawn(process.execPath, [...preloaded, join(root, 'bin/svc.js'), ...said], {
        env: { ...env, ...death },
        detached: true,
        stdio: ['ignore', 'pipe', 'ignore'],
      })
      const ended = once(child, 'exit') as Promise<[number | null]>
      const stdout = await text(child.stdout)
      const [code] = await ended
      const names = readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name))
      const receipts = names.includes(join(folder, 'receipts.csv'))
        ? readFileSync(join(folder, 'receipts.csv'), 'utf8')
        : 'none'
      endings.push(endingOf(code ?? 'killed', names, [receipts, stdout], folder))
    }
    return { endings, requests }
  } finally {
    await sandbox.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * The line of the next batch is written while an answer is waited for, so that a real process writes the two in any order: what it leaves
 * is what a kill leaves at a write near by.
 */
const writesNear = [-1, 1, -2, 2]

type Left = Pick<Awaited<ReturnType<typeof simulated>>, 'endings' | 'requests'>

/** Whether a real process left what the simulated one did. Its last request may not have left it: a connection takes time. */
function isSame(one: Left, real: Left): boolean {
  const isKilled = one.endings[0]?.code === 'killed'
  const unsent = one.requests - real.requests
  const isAlike = JSON.stringify(one.endings) === JSON.stringify(real.endings)
  return isAlike && (unsent === 0 || (isKilled && unsent === 1))
}

async function isKilledNearBy(seed: number, other: Left): Promise<boolean> {
  for (const writesLater of writesNear) {
    if (isSame(await simulated(seed, writesLater), other)) return true
  }
  return false
}

/** Returns how many of the seeds do not agree. */
export async function compare(first: number, count: number, root: string): Promise<number> {
  let differing = 0
  let killed = 0
  let nearBy = 0
  for (let seed = first; seed < first + count; seed += 1) {
    const { scene, service, ...one } = await simulated(seed)
    const other = await real(scene, service, root)
    if (one.endings[0]?.code === 'killed') killed += 1
    if (isSame(one, other)) continue
    if (await isKilledNearBy(seed, other)) {
      nearBy += 1
      continue
    }
    differing += 1
    const [is = [], was = []] = [one, other].map((left) =>
      JSON.stringify(left, undefined, 1).split('\n'),
    )
    const at = is.findIndex((line, n) => line !== was[n])
    console.log(
      `DIFFERS seed ${seed}: ${JSON.stringify(scene.commands.slice(0, 2))} ${JSON.stringify(scene.death)}\n` +
        `  simulated: ${is.slice(Math.max(0, at - 2), at + 3).join(' ')}\n  real:      ${was.slice(Math.max(0, at - 2), at + 3).join(' ')}`,
    )
  }
  console.log(
    `seeds ${first} to ${first + count - 1}: ${killed} killed, ${differing} end otherwise as real processes (${nearBy} as after a kill at a write near by)`,
  )
  return differing
}
