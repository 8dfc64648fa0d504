/**
 * SIGKILL at random moments, resumes included: nothing lost, doubled or claimed that is not so.
 *   node tools/crash/kill.mjs [--kills 1000] [--seed 7] [--program path/to/svc.js-or-executable] [--bail]
 */
import { commandLine, seedOf, wholeNumber } from '../harness/tool.mjs'
import { runKills } from './kills.mjs'

const values = commandLine({ kills: '100', seed: undefined, program: undefined, bail: false })
const kills = wholeNumber('kills', values.kills, 1)
const { tally, made, runs, inResumes } = await runKills({ ...values, kills, seed: seedOf(values.seed) })
console.log(`${runs} runs, ${inResumes} of the kills in resumes`)
tally.end(`${made} kills, ${tally}`)
