/** A computer on which simulated processes run: its clocks, its boot, and who runs on it. Several share the disk, as containers do. */
import type { Computer } from '../../src/world.ts'
import type { Clock } from './clock.ts'
import type { Dice } from './dice.ts'

export class Machine {
  readonly name: string
  readonly #clock: Clock
  readonly #dice: Dice
  readonly #machineId: string
  #bootId = ''
  #booted = 0
  #readings = 0
  /** Milliseconds by which its clock is ahead of the service's. */
  offset = 0
  /** Starts of running processes by their numbers, in ticks since boot. */
  readonly running = new Map<number, number>()

  constructor(name: string, clock: Clock, dice: Dice) {
    this.name = name
    this.#clock = clock
    this.#dice = dice
    this.#machineId = dice.hex(32)
    this.boot()
  }

  boot(): void {
    this.#bootId = this.#dice.hex(36)
    this.#booted = this.#clock.now() - 1000 * this.#dice.whole(10, 100_000)
  }

  now(): number {
    return Math.floor(this.#clock.now() + this.offset)
  }

  /** No two readings are alike, as on a real machine. */
  monotonic(): number {
    this.#readings += 1
    return this.#clock.now() - this.#booted + this.#readings * 1e-6
  }

  get computer(): Computer {
    return {
      hostname: this.name,
      uptime: this.monotonic() / 1000,
      userName: 'root',
      temporaryFolder: '/tmp',
      signals: { SIGINT: 2, SIGTERM: 15, SIGHUP: 1, SIGKILL: 9 },
    }
  }

  /** The text of a file or link that the system makes up; undefined for any other path. `pid`: of the process that reads. */
  systemFile(path: string, pid: number): string | undefined {
    if (path === '/etc/machine-id') return `${this.#machineId}\n`
    if (path === '/proc/sys/kernel/random/boot_id') return `${this.#bootId}\n`
    if (path === '/proc/self/ns/pid') return 'pid:[4026531836]'
    if (path === '/proc/self/ns/time') return 'time:[4026531834]'
    if (path === '/proc/self') return String(pid)
    const start = this.running.get(Number(/^\/proc\/(\d+)\/stat$/.exec(path)?.[1]))
    return start === undefined ? undefined : `1 (svc) S ${'0 '.repeat(18)}${start} 0`
  }
}
