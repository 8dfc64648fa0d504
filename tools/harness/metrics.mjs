/** What a file of `--metrics-file` may say after a command was started, ended or killed. */
import { existsSync, readFileSync } from 'node:fs'

/** Values by metric; of one with outcomes or statuses the last. Throws for what a collector would refuse. */
function read(path) {
  const text = readFileSync(path, 'utf8')
  if (!text.endsWith('\n')) throw new Error('its last line is not whole')
  const values = new Map()
  const types = new Set()
  for (const line of text.slice(0, -1).split('\n')) {
    const about = /^# (HELP|TYPE) (\w+) .+$/.exec(line)
    const sample = /^(\w+)\{(?:\w+="[^"]*",?)+\} (-?\d+(?:\.\d+)?)$/.exec(line)
    if (about?.[1] === 'TYPE') types.add(about[2])
    if (about === null && !types.has(sample?.[1])) throw new Error(`it has the line ${line}`)
    if (sample !== null) values.set(sample[1], Number(sample[2]))
  }
  return values
}

/** The metrics of a job, to be looked at after each of its commands; `looks`: how often that was done. */
export function watchMetrics(path) {
  let last
  /** `ended`: of the command. `isDone`: asks whether the last run under the name ended with 0. Returns what is wrong. */
  async function look({ code, signal }, isDone) {
    if (!existsSync(path)) return signal === null ? ['there are no metrics'] : []
    watched.looks += 1
    let values
    try {
      values = read(path)
    } catch (error) {
      return [`the metrics are not whole: ${error.message}`]
    }
    const exitCode = values.get('svc_run_exit_code')
    const success = values.get('svc_run_last_success_timestamp_seconds')
    const problems = []
    if (signal === null && exitCode !== code) problems.push(`the metrics say exit code ${exitCode}, it was ${code}`)
    // Killed behind its ending: it is done all the same.
    const isSuccess = signal === null ? code === 0 : exitCode === 0 && (await isDone())
    if (success !== last && !isSuccess) problems.push('the metrics claim a success that was none')
    if (isSuccess && success !== values.get('svc_run_last_end_timestamp_seconds'))
      problems.push('the metrics do not tell of a success')
    last = success
    return problems
  }
  const watched = { looks: 0, look }
  return watched
}
