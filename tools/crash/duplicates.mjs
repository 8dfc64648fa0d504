/**
 * Answers that come twice on a connection that is kept: bulk deletes in which every other batch has contacts that do not exist, so
 * that an answer which is taken for another one's is a false claim. Prints how many answers were duplicated and how many claims
 * were false. Needs a build (npm run prepare), and a machine that is not busy: a timer of the sandbox that is 15 ms late is outside of
 * what is promised.
 *
 *   node tools/crash/duplicates.mjs [--runs 5] [--delays 0,1,2,5]      milliseconds
 */
import { linesOf, startSandbox, svc } from '../harness/processes.mjs'
import { commandLine, ownFolder, wholeNumber } from '../harness/tool.mjs'

const values = commandLine({ runs: 5, delays: '0,1,2,5' })
const [batches, size] = [80, 5]
const folder = ownFolder('duplicates')
let [duplicated, wrong] = [0, 0]

for (const delay of values.delays.split(',').map((word) => wholeNumber('delays', word))) {
  for (let run = 0; run < values.runs; run += 1) {
    const faults = `contacts.delete:50%=duplicate(${delay}ms), seed=${run + 1}`
    const sandbox = await startSandbox(['--latency', '10ms', '--faults', faults])
    const there = sandbox.examples.contactsWithoutChats
    const ids = Array.from({ length: batches * size }, (_, n) =>
      Math.floor(n / size) % 2 === 0
        ? there[Math.floor(n / (2 * size)) * size + (n % size)]
        : (n + 1).toString(16).padStart(24, '0'),
    )
    const words = ['contacts', 'delete', '--file', '-', '--yes', `batches-of=${size}`, '--concurrency', '4']
    const env = { ...sandbox.env, HOME: folder }
    const { stdout } = await svc([...words, '-o', 'ndjson'], env, { input: ids.join('\n') })
    const entries = await sandbox.read('record')
    const deleted = new Set(entries.flatMap((entry) => entry.deleted ?? []))
    duplicated += entries.filter(({ fault }) => fault !== null).length
    for (const { id, outcome } of linesOf(stdout)) {
      const isTrue = deleted.has(id) ? ['deleted', 'gone'] : ['not-found', 'gone', 'blocked']
      if (!isTrue.includes(outcome)) wrong += 1
    }
    await sandbox.stop()
  }
}
console.log(`${duplicated} duplicated answers, ${wrong} false claims`)
if (wrong > 0 || duplicated === 0) process.exitCode = 1
