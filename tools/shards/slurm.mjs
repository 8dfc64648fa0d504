/** Slurm on this machine alone: controller, one node of four places and munge, all in one folder. Needs root. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, openSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { sleep } from '../harness/processes.mjs'
import { run } from '../harness/tool.mjs'

export async function startSlurm(folder) {
  for (const name of ['state', 'spool']) mkdirSync(join(folder, name), { recursive: true, mode: 0o755 })
  const at = (name) => join(folder, name)
  writeFileSync(at('munge.key'), randomBytes(1024), { mode: 0o600 })
  const node = hostname().split('.')[0]
  writeFileSync(at('slurm.conf'), configuration(folder, node))
  const env = { SLURM_CONF: at('slurm.conf') }
  const children = []
  const start = (command, ...words) => {
    const log = openSync(at(`${command}.log`), 'w')
    const child = spawn(command, words, { env: { ...process.env, ...env }, stdio: ['ignore', log, log] })
    children.push({ child, ended: new Promise((resolve) => child.on('close', resolve)) })
  }
  const own = ['key-file', 'socket', 'pid-file', 'log-file', 'seed-file']
  const files = own.map((name) => `--${name}=${at(`munge.${name === 'key-file' ? 'key' : name}`)}`)
  start('munged', '--foreground', '--force', ...files)
  await sleep(500)
  start('slurmctld', '-D')
  start('slurmd', '-D', '-N', node)
  const ask = (command, ...words) => run(command, words, { env: { ...process.env, ...env } })
  await until(() => /\bidle\b/.test(ask('sinfo', '--noheader')), 'the node is not idle')
  return {
    env,
    /** Waits for all tasks of an array; returns what is wrong with them. One that is to be repeated does not wait for two minutes. */
    async ended(job, tasks) {
      const waiting = new Map()
      for (;;) {
        const states = statesOf(ask('scontrol', 'show', 'job', job, '--oneliner'))
        for (const { state, task, reason } of states) {
          if (state !== 'PENDING' || reason !== 'BeginTime') waiting.delete(task)
          else waiting.set(task, (waiting.get(task) ?? 0) + 1)
          // At once would be too soon: what Slurm still hears of the first start would end the second one.
          if (waiting.get(task) === 20) ask('scontrol', 'update', `JobId=${job}_${task}`, 'StartTime=now')
        }
        const over = states.filter(({ state }) => !['PENDING', 'RUNNING', 'COMPLETING', 'REQUEUED'].includes(state))
        const failed = over.filter(({ state }) => state !== 'COMPLETED')
        if (over.length === tasks) return failed.map(({ task, state }) => `task ${task} ended as ${state}`)
        await sleep(300)
      }
    },
    async stop() {
      for (const { child } of children) child.kill('SIGTERM')
      await Promise.all(children.map(({ ended }) => ended))
    },
  }
}

function statesOf(text) {
  const part = (line, name) => new RegExp(`\\b${name}=(\\w+)`).exec(line)?.[1]
  const lines = text.trim().split('\n')
  return lines.map((line) => ({
    state: part(line, 'JobState'),
    task: part(line, 'ArrayTaskId'),
    reason: part(line, 'Reason'),
  }))
}

async function until(isSo, problem) {
  for (let tries = 0; tries < 50; tries += 1) {
    try {
      if (isSo()) return
    } catch {
      // Not there yet.
    }
    await sleep(300)
  }
  throw new Error(problem)
}

function configuration(folder, node) {
  return `ClusterName=shards
SlurmctldHost=${node}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=${folder}/munge.socket
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool
SlurmctldPidFile=${folder}/slurmctld.pid
SlurmdPidFile=${folder}/slurmd.pid
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MailProg=/bin/true
SlurmdParameters=config_overrides
NodeName=${node} NodeAddr=127.0.0.1 CPUs=4
PartitionName=all Nodes=${node} Default=YES State=UP
`
}
