#!/usr/bin/env python3
"""Reads rows as verl's multi-turn SFT dataset does, from the published rules; written anew, standard library only.

The rows are those of the Parquet file, as JSON lines. With the word `class`, the file WORD2 holds the dataset class that the
export ships: it is run on a stand-in for verl's. Prints {"rows", "trained": [[run, text], ...], "problems"} as JSON, a text for
each message that gets loss; exit code 1 when a row would not train as meant.
"""
import json
import sys
import types


class Frame(list):
    """As much of a data frame as is used."""

    @property
    def iloc(self):
        frame = self

        class Places:
            def __getitem__(self, places):
                return Frame(frame[at] for at in places)

        return Places()

    def reset_index(self, drop):
        assert drop
        return self


class MultiTurnSFTDataset:
    def __init__(self, rows, messages_key="messages"):
        self.rows, self.messages_key, self.problems = rows, messages_key, []
        self._read_files_and_process()

    def _read_files_and_process(self):
        self.dataframe = Frame(self.rows)
        self.messages = [row[self.messages_key] for row in self.dataframe]
        self.tools = [row["tools"] for row in self.dataframe] if self.rows and "tools" in self.rows[0] else None
        self.enable_thinking = [row["enable_thinking"] for row in self.dataframe]

    def _process_single_message(self, index, message, tools=None, enable_thinking=None):
        """A character is a token; only the role decides what gets loss, and the turn's header gets none."""
        header = f"<|im_start|>{message['role']}\n"
        ids = header + message["content"] + "<|im_end|>\n"
        loss = Mask([0] * len(header) + [int(message["role"] == "assistant")] * (len(ids) - len(header)))
        return ids, loss, [1] * len(ids), {}

    def trained(self):
        for number, row in enumerate(self.dataframe):
            if len(row[self.messages_key]) == 0:
                self.problems.append(f"row {number} has no messages")
            for index, message in enumerate(self.messages[number]):
                if message["content"] is None or message["role"] is None:
                    self.problems.append(f"row {number} message {index} holds null")
                if len(message.get("tool_calls") or []) > 1:
                    self.problems.append(f"row {number} message {index}: truth value of an array is ambiguous")
                if type(message["loss_mask"]) is not int:
                    self.problems.append(f"row {number} message {index}: loss_mask is not an integer")
                ids, loss, *_ = self._process_single_message(index, message, enable_thinking=self.enable_thinking[number])
                assert len(ids) == len(loss)
                if any(loss):
                    yield [row["run"], message["content"]]


class Mask(list):
    """As much of a tensor as is used."""

    def __mul__(self, factor):
        return Mask(value * factor for value in self)


def shipped(path):
    for name in ("verl", "verl.utils", "verl.utils.dataset"):
        sys.modules[name] = types.ModuleType(name)
    module = types.ModuleType("verl.utils.dataset.multiturn_sft_dataset")
    module.MultiTurnSFTDataset = MultiTurnSFTDataset
    sys.modules[module.__name__] = module
    scope = {"__name__": "waymark_verl"}
    with open(path, encoding="utf-8") as file:
        exec(compile(file.read(), path, "exec"), scope)
    return scope["WaymarkSFTDataset"]


def main(path, class_path=None):
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    if class_path is None:
        dataset = MultiTurnSFTDataset(rows)
    else:
        dataset = shipped(class_path)(rows, "conversation")
    trained = list(dataset.trained())
    for row in rows:
        if "tools" in row:
            dataset.problems.append("a column named tools would be read as schemas")
        if type(row["enable_thinking"]) is not bool:
            dataset.problems.append("enable_thinking is not true or false")
    print(json.dumps({"rows": len(dataset.messages), "trained": trained, "problems": dataset.problems}))
    return 1 if dataset.problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
