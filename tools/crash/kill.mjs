/**
 * SIGKILL at random moments, resumes included: nothing lost, doubled or claimed that is not so.
 *   npm run kill-test -- [--kills 1000] [--seed 7] [--program path/to/svc.js-or-executable] [--bail]
 */
import { parseArgs } from 'node:util'
import { sorts } from '../harness/judge.mjs'
import { runKills } from './kills.mjs'
import { wholeNumber } from '../harness/processes.mjs'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    seed: { type: 'string' },
    program: { type: 'string' },
    bail: { type: 'boolean', default: false },
  },
})
const kills = wholeNumber('kills', values.kills, 1)
const seed = values.seed === undefined ? Math.floor(Math.random() * 1e9) : wholeNumber('seed', values.seed)

console.log(`seed ${seed}`)
const result = await runKills({ ...values, kills, seed, log: (line) => console.log(line) })
console.log(`${result.runs} runs, ${result.inResumes} of the kills in resumes`)
console.log(
  `${result.kills} kills, ${result.lost} lost, ${result.doubled} doubled, ${result.false} falsely claimed, ${result.weak} claimed too weakly`,
)
process.exitCode = sorts.every((sort) => result[sort] === 0) ? 0 : 1
