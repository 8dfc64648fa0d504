/** Employees who can get a ticket, and tickets that can be assigned. */
import type { SeedEmployee } from '../../src/features/sandbox/seed.ts'
import type { SeedTicket } from '../../src/features/sandbox/tickets.ts'

export const isAble = ({ status, channels }: SeedEmployee): boolean =>
  status === 'active' && channels.length === 5

export const isOpen = ({ status, current }: SeedTicket): boolean => status === 'active' && current
