/** Processes that share a key and its rate limit: none starves, and together they are about as fast as one. */
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSvc } from '../harness/processes.mjs'
import { startToolSandbox } from '../harness/sandbox.mjs'
import { environment, folder, report } from './measure.mjs'

const limit = 50
const count = 600

/** Milliseconds of each of so many processes that start together, with a part of the work each. */
async function together(processes) {
  const sandbox = await startToolSandbox([
    '--faults',
    `*=rate,per-second=${limit} *=delay,before=20ms`,
  ])
  const state = mkdtempSync(join(folder, 'shared-'))
  const file = join(state, 'ids')
  writeFileSync(
    file,
    Array.from({ length: count }, (_, n) => `${n.toString(16).padStart(24, 'f')}\n`).join(''),
  )
  const words = [
    'contacts',
    'delete',
    '--file',
    file,
    '--yes',
    '-q',
    'batches-of=1',
    '--retries',
    '20',
  ]
  const env = { ...environment, ...sandbox.env, SVC_STATE_DIR: state }
  const times = Array.from({ length: processes }, async (_, n) => {
    const started = performance.now()
    const { code, stderr } = await startSvc([...words, '--shard', `${n + 1}/${processes}`], env)
      .ended
    if (code !== 3) throw new Error(`a shard ended with ${code}: ${stderr}`)
    return performance.now() - started
  })
  try {
    return await Promise.all(times)
  } finally {
    await sandbox.stop()
  }
}

export async function shared() {
  const [alone = NaN] = await together(1)
  for (const processes of [2, 4]) {
    const times = await together(processes)
    const [slowest, fastest] = [Math.max(...times), Math.min(...times)]
    const what = `${processes} processes under one rate limit`
    const share = (count * 1000) / slowest / limit
    report(`${what} ÷ one`, slowest / alone, '≤ 1.3', `${share.toFixed(2)} of the limit`)
    report(`${what}: the slowest ÷ the fastest`, slowest / fastest, '≤ 2')
  }
}
