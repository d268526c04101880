import { ContextFold } from '@shared/context/context';

/** A context whose last message is always taken to have its line on the budgets: no request adds one. */
export class WithoutLine extends ContextFold {
  override get line(): string {
    return 'none is added';
  }
}
