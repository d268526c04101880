import { spawn } from 'node:child_process';

/** A part of a bench that must run in a process of its own, because that process is watched or killed. */
type Child = (args: string[]) => Promise<number>;

const children: Record<string, Child> = {};

export function childNames(): string {
  return Object.keys(children).join(', ');
}
export async function runChild(name: string, args: string[]): Promise<number> {
  return (await children[name]?.(args)) ?? 2;
}
export const x = spawn;
