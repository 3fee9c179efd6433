; Growing lists and hash tables, see `containers.py`.
;
; The words after the header of a list (from 8): its length, the room that there is, the
; block of its items.  Of a table: how many keys it has, how many entries were begun, the
; room for entries, the mask of the index, the block of the entries, that of the index.
;
; An entry is a word of its hash (zero if it was taken out), the words of the key, then
; the value.  Entries stand in the order in which they came.  The index is probed from
; the low bits of the hash on; a place has the high half of the hash, whose first bit is
; always set, and the number of the entry; or 0 if it is free, 1 if it was given up.  At
; most half of the places are ever in use.

declare ptr @"anadrome.allocate"(ptr, i64)
declare void @"anadrome.release"(ptr, ptr)
declare i64 @llvm.ctlz.i64(i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; Room for as many items as are needed, and for more: 0, or 1 if there is no memory.
define i32 @"anadrome.grow_list"(ptr %context, ptr %list, i64 %bytes, i64 %need) {
entry:
  %lengthp = getelementptr i64, ptr %list, i64 8
  %roomp = getelementptr i64, ptr %list, i64 9
  %itemsp = getelementptr ptr, ptr %list, i64 10
  %length = load i64, ptr %lengthp
  %old = load ptr, ptr %itemsp
  %double = shl i64 %length, 1
  %more = icmp sgt i64 %need, %double
  %wanted = select i1 %more, i64 %need, i64 %double
  %sane = icmp ult i64 %wanted, 1099511627776
  br i1 %sane, label %make, label %fail
make:
  %size = mul i64 %wanted, %bytes
  %new = call ptr @"anadrome.allocate"(ptr %context, i64 %size)
  %none = icmp eq ptr %new, null
  br i1 %none, label %fail, label %made
made:
  %classp = getelementptr i64, ptr %new, i64 1
  %class = load i64, ptr %classp
  %whole = shl i64 1, %class
  %room = udiv i64 %whole, %bytes
  store i64 %room, ptr %roomp
  store ptr %new, ptr %itemsp
  %first = icmp eq ptr %old, null
  br i1 %first, label %done, label %move
move:
  %source = getelementptr i8, ptr %old, i64 64
  %target = getelementptr i8, ptr %new, i64 64
  %moved = mul i64 %length, %bytes
  call void @llvm.memcpy.p0.p0.i64(ptr %target, ptr %source, i64 %moved, i1 false)
  call void @"anadrome.release"(ptr %context, ptr %old)
  br label %done
done:
  ret i32 0
fail:
  ret i32 1
}

; Room for `count` items where those from `start` to `stop` stood.
define i32 @"anadrome.splice"(ptr %context, ptr %list, i64 %bytes, i64 %start,
                              i64 %stop, i64 %count) {
entry:
  %lengthp = getelementptr i64, ptr %list, i64 8
  %roomp = getelementptr i64, ptr %list, i64 9
  %itemsp = getelementptr ptr, ptr %list, i64 10
  %length = load i64, ptr %lengthp
  %gone = sub i64 %stop, %start
  %left = sub i64 %length, %gone
  %new = add i64 %left, %count
  %room = load i64, ptr %roomp
  %fits = icmp ule i64 %new, %room
  br i1 %fits, label %move, label %grow
grow:
  %status = call i32 @"anadrome.grow_list"(ptr %context, ptr %list, i64 %bytes, i64 %new)
  %fine = icmp eq i32 %status, 0
  br i1 %fine, label %move, label %fail
move:
  store i64 %new, ptr %lengthp
  %rest = sub i64 %length, %stop
  %some = icmp sgt i64 %rest, 0
  br i1 %some, label %shift, label %done
shift:
  %items = load ptr, ptr %itemsp
  %base = getelementptr i8, ptr %items, i64 64
  %after = add i64 %start, %count
  %to = mul i64 %after, %bytes
  %from = mul i64 %stop, %bytes
  %size = mul i64 %rest, %bytes
  %target = getelementptr i8, ptr %base, i64 %to
  %source = getelementptr i8, ptr %base, i64 %from
  call void @llvm.memmove.p0.p0.i64(ptr %target, ptr %source, i64 %size, i1 false)
  br label %done
done:
  ret i32 0
fail:
  ret i32 1
}

; Twice the room that the keys of a table take, without the entries taken out.
define internal i32 @grow_table(ptr %context, ptr %table, i64 %bytes) noinline {
entry:
  %livep = getelementptr i64, ptr %table, i64 8
  %usedp = getelementptr i64, ptr %table, i64 9
  %roomp = getelementptr i64, ptr %table, i64 10
  %maskp = getelementptr i64, ptr %table, i64 11
  %entriesp = getelementptr ptr, ptr %table, i64 12
  %indexp = getelementptr ptr, ptr %table, i64 13
  %live = load i64, ptr %livep
  %used = load i64, ptr %usedp
  %double = shl i64 %live, 1
  %few = icmp ult i64 %double, 8
  %wanted = select i1 %few, i64 8, i64 %double
  %less = sub i64 %wanted, 1
  %zeros = call i64 @llvm.ctlz.i64(i64 %less, i1 false)
  %power = sub i64 64, %zeros
  %sane = icmp ult i64 %power, 32
  br i1 %sane, label %make, label %fail
make:
  %room = shl i64 1, %power
  %size = mul i64 %room, %bytes
  %entries = call ptr @"anadrome.allocate"(ptr %context, i64 %size)
  %none = icmp eq ptr %entries, null
  br i1 %none, label %fail, label %half
half:
  %places = shl i64 %room, 1
  %mask = sub i64 %places, 1
  %width = shl i64 %places, 3
  %index = call ptr @"anadrome.allocate"(ptr %context, i64 %width)
  %missing = icmp eq ptr %index, null
  br i1 %missing, label %fail, label %clear
clear:
  %first = getelementptr i8, ptr %index, i64 64
  call void @llvm.memset.p0.i64(ptr %first, i8 0, i64 %width, i1 false)
  %old = load ptr, ptr %entriesp
  %oldindex = load ptr, ptr %indexp
  %source = getelementptr i8, ptr %old, i64 64
  %target = getelementptr i8, ptr %entries, i64 64
  br label %loop
loop:
  %k = phi i64 [ 0, %clear ], [ %k1, %next ]
  %n = phi i64 [ 0, %clear ], [ %n2, %next ]
  %more = icmp ult i64 %k, %used
  br i1 %more, label %one, label %done
one:
  %at = mul i64 %k, %bytes
  %from = getelementptr i8, ptr %source, i64 %at
  %hash = load i64, ptr %from
  %dead = icmp eq i64 %hash, 0
  br i1 %dead, label %next, label %keep
keep:
  %where = mul i64 %n, %bytes
  %to = getelementptr i8, ptr %target, i64 %where
  call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %bytes, i1 false)
  call void @enter(ptr %first, i64 %mask, i64 %hash, i64 %n)
  %n1 = add i64 %n, 1
  br label %next
next:
  %n2 = phi i64 [ %n, %one ], [ %n1, %keep ]
  %k1 = add i64 %k, 1
  br label %loop
done:
  call void @"anadrome.release"(ptr %context, ptr %old)
  call void @"anadrome.release"(ptr %context, ptr %oldindex)
  store i64 %n, ptr %usedp
  store i64 %room, ptr %roomp
  store i64 %mask, ptr %maskp
  store ptr %entries, ptr %entriesp
  store ptr %index, ptr %indexp
  ret i32 0
fail:
  ret i32 1
}

; Name an entry in the first place that nobody has.
define internal void @enter(ptr %places, i64 %mask, i64 %hash, i64 %number) alwaysinline {
entry:
  %high = and i64 %hash, -4294967296
  %name = or i64 %high, %number
  br label %probe
probe:
  %k = phi i64 [ %hash, %entry ], [ %k1, %probe ]
  %place = and i64 %k, %mask
  %slotp = getelementptr i64, ptr %places, i64 %place
  %slot = load i64, ptr %slotp
  %k1 = add i64 %k, 1
  %taken = icmp slt i64 %slot, 0
  br i1 %taken, label %probe, label %free
free:
  store i64 %name, ptr %slotp
  ret void
}

; Take an entry out of a table.
define void @"anadrome.remove"(ptr %table, i64 %bytes, i64 %number) {
entry:
  %livep = getelementptr i64, ptr %table, i64 8
  %maskp = getelementptr i64, ptr %table, i64 11
  %entriesp = getelementptr ptr, ptr %table, i64 12
  %indexp = getelementptr ptr, ptr %table, i64 13
  %mask = load i64, ptr %maskp
  %entries = load ptr, ptr %entriesp
  %index = load ptr, ptr %indexp
  %base = getelementptr i8, ptr %entries, i64 64
  %places = getelementptr i8, ptr %index, i64 64
  %at = mul i64 %number, %bytes
  %hashp = getelementptr i8, ptr %base, i64 %at
  %hash = load i64, ptr %hashp
  %high = and i64 %hash, -4294967296
  %name = or i64 %high, %number
  br label %probe
probe:
  %k = phi i64 [ %hash, %entry ], [ %k1, %probe ]
  %place = and i64 %k, %mask
  %slotp = getelementptr i64, ptr %places, i64 %place
  %slot = load i64, ptr %slotp
  %k1 = add i64 %k, 1
  %here = icmp eq i64 %slot, %name
  br i1 %here, label %found, label %probe
found:
  store i64 1, ptr %slotp
  store i64 0, ptr %hashp
  %live = load i64, ptr %livep
  %less = sub i64 %live, 1
  store i64 %less, ptr %livep
  ret void
}

; The words of the keys of a table, one after the other.
define void @"anadrome.list_keys"(ptr %table, i64 %bytes, i64 %words, ptr %out) {
entry:
  %usedp = getelementptr i64, ptr %table, i64 9
  %entriesp = getelementptr ptr, ptr %table, i64 12
  %used = load i64, ptr %usedp
  %entries = load ptr, ptr %entriesp
  %base = getelementptr i8, ptr %entries, i64 64
  %size = shl i64 %words, 3
  br label %loop
loop:
  %k = phi i64 [ 0, %entry ], [ %k1, %next ]
  %to = phi ptr [ %out, %entry ], [ %to2, %next ]
  %more = icmp ult i64 %k, %used
  br i1 %more, label %one, label %done
one:
  %at = mul i64 %k, %bytes
  %from = getelementptr i8, ptr %base, i64 %at
  %hash = load i64, ptr %from
  %dead = icmp eq i64 %hash, 0
  br i1 %dead, label %next, label %words.loop
words.loop:
  %j = phi i64 [ 0, %one ], [ %j1, %words.loop ]
  %j1 = add i64 %j, 1
  %wordp = getelementptr i64, ptr %from, i64 %j1
  %word = load i64, ptr %wordp
  %outp = getelementptr i64, ptr %to, i64 %j
  store i64 %word, ptr %outp
  %again = icmp ult i64 %j1, %words
  br i1 %again, label %words.loop, label %kept
kept:
  %to1 = getelementptr i8, ptr %to, i64 %size
  br label %next
next:
  %to2 = phi ptr [ %to, %one ], [ %to1, %kept ]
  %k1 = add i64 %k, 1
  br label %loop
done:
  ret void
}

; Sort records of words by all words but the last, taken without a sign, as they come.
; Which of the two halves of the memory has the sorted records is returned.
define i32 @"anadrome.sort_records"(ptr %records, ptr %scratch, i64 %count, i64 %words) {
entry:
  %counts = alloca [256 x i64]
  %last = sub i64 %words, 1
  %size = shl i64 %words, 3
  br label %word
word:
  %w = phi i64 [ %last, %entry ], [ %w1, %word.done ]
  %here = phi ptr [ %records, %entry ], [ %here2, %word.done ]
  %there = phi ptr [ %scratch, %entry ], [ %there2, %word.done ]
  %over = icmp eq i64 %w, 0
  br i1 %over, label %done, label %vary
vary:
  ; The bits in which the words differ from the first.
  %w1 = sub i64 %w, 1
  %column = getelementptr i64, ptr %here, i64 %w1
  %one = load i64, ptr %column
  br label %vary.loop
vary.loop:
  %vk = phi i64 [ 0, %vary ], [ %vk1, %vary.loop ]
  %bits = phi i64 [ 0, %vary ], [ %bits1, %vary.loop ]
  %vat = mul i64 %vk, %words
  %vp = getelementptr i64, ptr %column, i64 %vat
  %v = load i64, ptr %vp
  %differ = xor i64 %v, %one
  %bits1 = or i64 %bits, %differ
  %vk1 = add i64 %vk, 1
  %vmore = icmp ult i64 %vk1, %count
  br i1 %vmore, label %vary.loop, label %byte
byte:
  %shift = phi i64 [ 0, %vary.loop ], [ %shift1, %byte.next ]
  %from = phi ptr [ %here, %vary.loop ], [ %from2, %byte.next ]
  %to = phi ptr [ %there, %vary.loop ], [ %to2, %byte.next ]
  %end = icmp eq i64 %shift, 64
  br i1 %end, label %word.done, label %byte.look
byte.look:
  %part = lshr i64 %bits1, %shift
  %low = and i64 %part, 255
  %same = icmp eq i64 %low, 0
  br i1 %same, label %byte.next, label %tally
tally:
  call void @llvm.memset.p0.i64(ptr %counts, i8 0, i64 2048, i1 false)
  %tcolumn = getelementptr i64, ptr %from, i64 %w1
  br label %tally.loop
tally.loop:
  %tk = phi i64 [ 0, %tally ], [ %tk1, %tally.loop ]
  %tat = mul i64 %tk, %words
  %tp = getelementptr i64, ptr %tcolumn, i64 %tat
  %t = load i64, ptr %tp
  %tshifted = lshr i64 %t, %shift
  %tbyte = and i64 %tshifted, 255
  %tcp = getelementptr i64, ptr %counts, i64 %tbyte
  %tc = load i64, ptr %tcp
  %tc1 = add i64 %tc, 1
  store i64 %tc1, ptr %tcp
  %tk1 = add i64 %tk, 1
  %tmore = icmp ult i64 %tk1, %count
  br i1 %tmore, label %tally.loop, label %sum.loop
sum.loop:
  %sk = phi i64 [ 0, %tally.loop ], [ %sk1, %sum.loop ]
  %total = phi i64 [ 0, %tally.loop ], [ %total1, %sum.loop ]
  %scp = getelementptr i64, ptr %counts, i64 %sk
  %sc = load i64, ptr %scp
  store i64 %total, ptr %scp
  %total1 = add i64 %total, %sc
  %sk1 = add i64 %sk, 1
  %smore = icmp ult i64 %sk1, 256
  br i1 %smore, label %sum.loop, label %move.loop
move.loop:
  %mk = phi i64 [ 0, %sum.loop ], [ %mk1, %moved ]
  %mat = mul i64 %mk, %words
  %mp = getelementptr i64, ptr %from, i64 %mat
  %mwp = getelementptr i64, ptr %mp, i64 %w1
  %m = load i64, ptr %mwp
  %mshifted = lshr i64 %m, %shift
  %mbyte = and i64 %mshifted, 255
  %mcp = getelementptr i64, ptr %counts, i64 %mbyte
  %mc = load i64, ptr %mcp
  %mc1 = add i64 %mc, 1
  store i64 %mc1, ptr %mcp
  %dat = mul i64 %mc, %words
  %dp = getelementptr i64, ptr %to, i64 %dat
  br label %copy
copy:
  %ck = phi i64 [ 0, %move.loop ], [ %ck1, %copy ]
  %cp = getelementptr i64, ptr %mp, i64 %ck
  %c = load i64, ptr %cp
  %cdp = getelementptr i64, ptr %dp, i64 %ck
  store i64 %c, ptr %cdp
  %ck1 = add i64 %ck, 1
  %cmore = icmp ult i64 %ck1, %words
  br i1 %cmore, label %copy, label %moved
moved:
  %mk1 = add i64 %mk, 1
  %mmore = icmp ult i64 %mk1, %count
  br i1 %mmore, label %move.loop, label %byte.next
byte.next:
  %from2 = phi ptr [ %from, %byte.look ], [ %to, %moved ]
  %to2 = phi ptr [ %to, %byte.look ], [ %from, %moved ]
  %shift1 = add i64 %shift, 8
  br label %byte
word.done:
  %here2 = phi ptr [ %from, %byte ]
  %there2 = phi ptr [ %to, %byte ]
  br label %word
done:
  %moved.once = icmp eq ptr %here, %scratch
  %answer = zext i1 %moved.once to i32
  ret i32 %answer
}
