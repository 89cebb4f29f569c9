import { describe, expect, it } from 'vitest';
import { latest } from '../src/lib/latest';

/** Questions whose answers come when the test says so. */
function bench() {
  const open: {
    question: number;
    signal: AbortSignal;
    resolve(n: string): void;
    reject(e: Error): void;
  }[] = [];
  const answers: string[] = [];
  const errors: string[] = [];
  const asker = latest<number, string>(
    (question, signal) =>
      new Promise((resolve, reject) => {
        open.push({ question, signal, resolve, reject });
      }),
    (answer) => answers.push(answer),
    (error) => errors.push((error as Error).message),
  );
  const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
  return { open, answers, errors, asker, settled };
}

describe('questions from a slider', () => {
  it('has one under way and keeps only the newest of those that wait', async () => {
    const { open, answers, asker, settled } = bench();
    [1, 2, 3, 4].forEach((n) => asker.ask(n));
    expect(open.map((o) => o.question)).toEqual([1]);
    open[0]!.resolve('one');
    await settled();
    expect(open.map((o) => o.question)).toEqual([1, 4]);
    open[1]!.resolve('four');
    await settled();
    expect(answers).toEqual(['one', 'four']);
  });

  it('goes on after a failure', async () => {
    const { open, answers, errors, asker, settled } = bench();
    asker.ask(1);
    asker.ask(2);
    open[0]!.reject(new Error('gone'));
    await settled();
    open[1]!.resolve('two');
    await settled();
    expect(errors).toEqual(['gone']);
    expect(answers).toEqual(['two']);
  });

  it('delivers nothing of what was forgotten, and aborts it', async () => {
    const { open, answers, errors, asker, settled } = bench();
    asker.ask(1);
    asker.ask(2);
    asker.forget();
    expect(open[0]!.signal.aborted).toBe(true);
    asker.ask(3);
    open[0]!.resolve('one');
    open[1]!.resolve('three');
    await settled();
    expect(open.map((o) => o.question)).toEqual([1, 3]);
    expect(answers).toEqual(['three']);
    expect(errors).toEqual([]);
  });
});
