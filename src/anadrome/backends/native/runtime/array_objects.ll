@PyArray_Type = external global i8
@_Py_FalseStruct = external global i8
@_Py_NoneStruct = external global i8
@_Py_TrueStruct = external global i8
@"anadrome.read_array" = external global ptr

declare void @"anadrome.retain"(ptr)
declare void @"anadrome.release"(ptr, ptr)
declare void @"anadrome.return_block"(ptr)
declare ptr @"anadrome.box"(ptr, ptr)
declare void @"anadrome.refuse_template"()
declare ptr @PyArray_DescrFromType(i32)
declare ptr @PyArray_New(ptr, i32, ptr, i32, ptr, ptr, i32, i32, ptr)
declare i32 @PyArray_SetBaseObject(ptr, ptr)
declare ptr @PyCapsule_GetPointer(ptr, ptr)
declare ptr @PyCapsule_New(ptr, ptr, ptr)
declare ptr @PyLong_FromLongLong(i64)
declare ptr @PyObject_CallFunctionObjArgs(ptr, ...)
declare void @Py_DecRef(ptr)
declare void @Py_IncRef(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define internal i1 @is_plain_array(ptr %object, i32 %number, i64 %rank) {
entry:
  %typep = getelementptr ptr, ptr %object, i64 1
  %type = load ptr, ptr %typep
  %right = icmp eq ptr %type, @PyArray_Type
  br i1 %right, label %array, label %no
array:
  %rankp = getelementptr i64, ptr %object, i64 3
  %found32 = load i32, ptr %rankp
  %found = sext i32 %found32 to i64
  %same = icmp eq i64 %found, %rank
  br i1 %same, label %look, label %no
look:
  %descrp = getelementptr ptr, ptr %object, i64 7
  %descr = load ptr, ptr %descrp
  %numberp = getelementptr i8, ptr %descr, i64 28
  %has = load i32, ptr %numberp
  %kind = icmp eq i32 %has, %number
  %orderp = getelementptr i8, ptr %descr, i64 26
  %order = load i8, ptr %orderp
  %unswapped = icmp ne i8 %order, 62
  %flagsp = getelementptr i64, ptr %object, i64 8
  %flags = load i32, ptr %flagsp
  %alignment = and i32 %flags, 256
  %aligned = icmp ne i32 %alignment, 0
  %both = and i1 %kind, %unswapped
  %all = and i1 %both, %aligned
  ret i1 %all
no:
  ret i1 false
}

define internal void @read_array(ptr %object, ptr %block, i64 %rank, i64 %size,
                                 ptr %out) {
entry:
  store ptr %block, ptr %out
  %datap = getelementptr ptr, ptr %object, i64 2
  %data = load ptr, ptr %datap
  %out1 = getelementptr ptr, ptr %out, i64 1
  store ptr %data, ptr %out1
  %dimsp = getelementptr ptr, ptr %object, i64 4
  %dims = load ptr, ptr %dimsp
  %stridesp = getelementptr ptr, ptr %object, i64 5
  %strides = load ptr, ptr %stridesp
  %any = icmp sgt i64 %rank, 0
  br i1 %any, label %axes, label %done
axes:
  %k = phi i64 [ 0, %entry ], [ %next, %axes ]
  %np = getelementptr i64, ptr %dims, i64 %k
  %n = load i64, ptr %np
  %to = add i64 %k, 2
  %op = getelementptr i64, ptr %out, i64 %to
  store i64 %n, ptr %op
  %sp = getelementptr i64, ptr %strides, i64 %k
  %s = load i64, ptr %sp
  %step = sdiv i64 %s, %size
  %further = add i64 %to, %rank
  %qp = getelementptr i64, ptr %out, i64 %further
  store i64 %step, ptr %qp
  %next = add i64 %k, 1
  %more = icmp slt i64 %next, %rank
  br i1 %more, label %axes, label %done
done:
  ret void
}

; An argument as an array: its words, or a mismatch.
define i32 @"anadrome.take_array"(ptr %context, ptr %object, i32 %number, i64 %size,
                                  i64 %rank, i32 %written, ptr %out) {
entry:
  %plain = call i1 @is_plain_array(ptr %object, i32 %number, i64 %rank)
  br i1 %plain, label %check, label %other
check:
  %flagsp = getelementptr i64, ptr %object, i64 8
  %flags = load i32, ptr %flagsp
  %writeable = and i32 %flags, 1024
  %locked = icmp eq i32 %writeable, 0
  %wanted = icmp ne i32 %written, 0
  %bad = and i1 %locked, %wanted
  br i1 %bad, label %other, label %take
take:
  call void @Py_IncRef(ptr %object)
  %block = call ptr @"anadrome.box"(ptr %context, ptr %object)
  %full = icmp eq ptr %block, null
  br i1 %full, label %memory, label %read
read:
  call void @read_array(ptr %object, ptr %block, i64 %rank, i64 %size, ptr %out)
  ret i32 0
memory:
  ret i32 -1
other:
  ret i32 1073741824
}

; The array that a box stands for; if it is of another type, Python looks whether it fits.
define i32 @"anadrome.unbox_array"(ptr %context, ptr %box, i32 %number, i64 %size,
                                   i64 %rank, ptr %out) {
entry:
  %place = getelementptr ptr, ptr %box, i64 4
  %object = load ptr, ptr %place
  %plain = call i1 @is_plain_array(ptr %object, i32 %number, i64 %rank)
  br i1 %plain, label %same, label %convert
same:
  call void @"anadrome.retain"(ptr %box)
  call void @read_array(ptr %object, ptr %box, i64 %rank, i64 %size, ptr %out)
  ret i32 0
convert:
  %absent = icmp eq ptr %object, @_Py_NoneStruct
  br i1 %absent, label %nothing, label %ask
nothing:
  %double = shl i64 %rank, 1
  %words = add i64 %double, 2
  %bytes = shl i64 %words, 3
  call void @llvm.memset.p0.i64(ptr %out, i8 0, i64 %bytes, i1 false)
  ret i32 0
ask:
  %reader = load ptr, ptr @"anadrome.read_array"
  %descr = call ptr @PyArray_DescrFromType(i32 %number)
  %depth = call ptr @PyLong_FromLongLong(i64 %rank)
  %made = call ptr (ptr, ...) @PyObject_CallFunctionObjArgs(ptr %reader, ptr %object,
                                                ptr %descr, ptr %depth, ptr null)
  call void @Py_DecRef(ptr %descr)
  call void @Py_DecRef(ptr %depth)
  %block = call ptr @"anadrome.box"(ptr %context, ptr %made)
  %failed = icmp eq ptr %block, null
  br i1 %failed, label %bad, label %good
good:
  %rankp = getelementptr i64, ptr %made, i64 3
  %found32 = load i32, ptr %rankp
  %found = sext i32 %found32 to i64
  %fewer = icmp slt i64 %found, %rank
  br i1 %fewer, label %lower, label %read
lower:
  %scalar = icmp eq i64 %found, 0
  br i1 %scalar, label %extend, label %refuse
refuse:
  call void @"anadrome.release"(ptr %context, ptr %block)
  call void @"anadrome.refuse_template"()
  ret i32 -1
read:
  call void @read_array(ptr %made, ptr %block, i64 %rank, i64 %size, ptr %out)
  ret i32 0
extend:
  ; A cotangent that is one number for all elements: axes of length one before it.
  %words2 = alloca i64, i64 130
  call void @read_array(ptr %made, ptr %block, i64 %found, i64 %size, ptr %words2)
  %b0 = load i64, ptr %words2
  store i64 %b0, ptr %out
  %w1 = getelementptr i64, ptr %words2, i64 1
  %o1 = getelementptr i64, ptr %out, i64 1
  %b1 = load i64, ptr %w1
  store i64 %b1, ptr %o1
  %missing = sub i64 %rank, %found
  br label %axes
axes:
  %k = phi i64 [ 0, %extend ], [ %k1, %axis ]
  %more = icmp slt i64 %k, %rank
  br i1 %more, label %axis, label %done
axis:
  %new = icmp slt i64 %k, %missing
  %from = sub i64 %k, %missing
  %safe = select i1 %new, i64 0, i64 %from
  %np0 = add i64 %safe, 2
  %np = getelementptr i64, ptr %words2, i64 %np0
  %n = load i64, ptr %np
  %size1 = select i1 %new, i64 1, i64 %n
  %sp0 = add i64 %np0, %found
  %sp = getelementptr i64, ptr %words2, i64 %sp0
  %s = load i64, ptr %sp
  %step = select i1 %new, i64 0, i64 %s
  %to = add i64 %k, 2
  %op = getelementptr i64, ptr %out, i64 %to
  store i64 %size1, ptr %op
  %to2 = add i64 %to, %rank
  %op2 = getelementptr i64, ptr %out, i64 %to2
  store i64 %step, ptr %op2
  %k1 = add i64 %k, 1
  br label %axes
done:
  ret i32 0
bad:
  ret i32 -1
}

define internal void @destroy(ptr %capsule) {
  %block = call ptr @PyCapsule_GetPointer(ptr %capsule, ptr null)
  call void @"anadrome.return_block"(ptr %block)
  ret void
}

; An array of native code as a NumPy array that shares its memory.
define ptr @"anadrome.array_object"(ptr %block, ptr %data, i32 %number, i64 %size,
                                    i64 %rank, ptr %shape, ptr %strides) {
entry:
  %nothing = icmp eq ptr %data, null
  br i1 %nothing, label %none, label %owner
none:
  call void @Py_IncRef(ptr @_Py_NoneStruct)
  ret ptr @_Py_NoneStruct
owner:
  %bytes = alloca i64, i64 64
  %any = icmp sgt i64 %rank, 0
  br i1 %any, label %axes, label %ready
axes:
  %k = phi i64 [ 0, %owner ], [ %next, %axes ]
  %repeats = phi i1 [ false, %owner ], [ %repeated, %axes ]
  %sp = getelementptr i64, ptr %strides, i64 %k
  %s = load i64, ptr %sp
  %wide = mul i64 %s, %size
  %bp = getelementptr i64, ptr %bytes, i64 %k
  store i64 %wide, ptr %bp
  %np = getelementptr i64, ptr %shape, i64 %k
  %n = load i64, ptr %np
  %long = icmp sgt i64 %n, 1
  %still = icmp eq i64 %s, 0
  %shared = and i1 %long, %still
  %repeated = or i1 %repeats, %shared
  %next = add i64 %k, 1
  %more = icmp slt i64 %next, %rank
  br i1 %more, label %axes, label %ready
ready:
  %broadcast = phi i1 [ false, %owner ], [ %repeated, %axes ]
  %objectp = getelementptr ptr, ptr %block, i64 4
  %object = load ptr, ptr %objectp
  %native = icmp eq ptr %object, null
  br i1 %native, label %export, label %borrowed
borrowed:
  %plain = call i1 @is_plain_array(ptr %object, i32 %number, i64 %rank)
  br i1 %plain, label %compare, label %view
compare:
  %datap = getelementptr ptr, ptr %object, i64 2
  %its = load ptr, ptr %datap
  %same = icmp eq ptr %its, %data
  %dimsp = getelementptr ptr, ptr %object, i64 4
  %dims = load ptr, ptr %dimsp
  %stepsp = getelementptr ptr, ptr %object, i64 5
  %steps = load ptr, ptr %stepsp
  br label %each
each:
  %j = phi i64 [ 0, %compare ], [ %j1, %axis ]
  %equal = phi i1 [ %same, %compare ], [ %equal1, %axis ]
  %left = icmp slt i64 %j, %rank
  br i1 %left, label %axis, label %compared
axis:
  %dp = getelementptr i64, ptr %dims, i64 %j
  %d = load i64, ptr %dp
  %mp = getelementptr i64, ptr %shape, i64 %j
  %m = load i64, ptr %mp
  %tp = getelementptr i64, ptr %steps, i64 %j
  %t = load i64, ptr %tp
  %up = getelementptr i64, ptr %bytes, i64 %j
  %u = load i64, ptr %up
  %dm = icmp eq i64 %d, %m
  %tu = icmp eq i64 %t, %u
  %dmtu = and i1 %dm, %tu
  %equal1 = and i1 %equal, %dmtu
  %j1 = add i64 %j, 1
  br label %each
compared:
  br i1 %equal, label %itself, label %view
itself:
  call void @Py_IncRef(ptr %object)
  ret ptr %object
view:
  call void @Py_IncRef(ptr %object)
  %typep = getelementptr ptr, ptr %object, i64 1
  %type = load ptr, ptr %typep
  %isarray = icmp eq ptr %type, @PyArray_Type
  br i1 %isarray, label %flags, label %make
flags:
  %flagsp = getelementptr i64, ptr %object, i64 8
  %has = load i32, ptr %flagsp
  %writeable = and i32 %has, 1024
  %locked = icmp eq i32 %writeable, 0
  br label %make
export:
  %exportsp = getelementptr i64, ptr %block, i64 5
  %exports = load i64, ptr %exportsp
  %another = add i64 %exports, 1
  store i64 %another, ptr %exportsp
  %capsule = call ptr @PyCapsule_New(ptr %block, ptr null, ptr @destroy)
  %full = icmp eq ptr %capsule, null
  br i1 %full, label %undo, label %make
undo:
  store i64 %exports, ptr %exportsp
  ret ptr null
make:
  %base = phi ptr [ %object, %view ], [ %object, %flags ], [ %capsule, %export ]
  %readonly = phi i1 [ false, %view ], [ %locked, %flags ], [ false, %export ]
  %shares = phi i1 [ true, %view ], [ true, %flags ], [ false, %export ]
  %still2 = and i1 %broadcast, %shares
  %fixed = or i1 %readonly, %still2
  %flag = select i1 %fixed, i32 256, i32 1280
  %depth = trunc i64 %rank to i32
  %array = call ptr @PyArray_New(ptr @PyArray_Type, i32 %depth, ptr %shape,
      i32 %number, ptr %bytes, ptr %data, i32 0, i32 %flag, ptr null)
  %failed = icmp eq ptr %array, null
  br i1 %failed, label %drop, label %attach
drop:
  call void @Py_DecRef(ptr %base)
  ret ptr null
attach:
  %status = call i32 @PyArray_SetBaseObject(ptr %array, ptr %base)
  ret ptr %array
}

; Whether arguments are of the types that a table of bytes lists: for each the type, and
; of an array its dtype and, in one word, its rank and above it which axes have length 1.
define ptr @"anadrome.recognise"(ptr %bytes, ptr %given, i64 %number) {
entry:
  %count = getelementptr i64, ptr %bytes, i64 4
  %wanted = load i64, ptr %count
  %right = icmp eq i64 %wanted, %number
  br i1 %right, label %more, label %no
more:
  %k = phi i64 [ 0, %entry ], [ %next, %good ]
  %row = phi ptr [ %count, %entry ], [ %row.next, %good ]
  %done = icmp eq i64 %k, %number
  br i1 %done, label %yes, label %look
look:
  %place = getelementptr ptr, ptr %given, i64 %k
  %object = load ptr, ptr %place
  %typep = getelementptr ptr, ptr %object, i64 1
  %type = load ptr, ptr %typep
  %type.wantedp = getelementptr ptr, ptr %row, i64 1
  %type.wanted = load ptr, ptr %type.wantedp
  %type.same = icmp eq ptr %type, %type.wanted
  br i1 %type.same, label %typed, label %no
typed:
  %array = icmp eq ptr %type, @PyArray_Type
  br i1 %array, label %descr, label %good
descr:
  %descrp = getelementptr ptr, ptr %object, i64 7
  %found = load ptr, ptr %descrp
  %descr.wantedp = getelementptr ptr, ptr %row, i64 2
  %descr.wanted = load ptr, ptr %descr.wantedp
  %descr.same = icmp eq ptr %found, %descr.wanted
  br i1 %descr.same, label %shape, label %no
shape:
  %rankp = getelementptr i64, ptr %object, i64 3
  %rank32 = load i32, ptr %rankp
  %rank = zext i32 %rank32 to i64
  %axes.wantedp = getelementptr i64, ptr %row, i64 3
  %axes.wanted = load i64, ptr %axes.wantedp
  %rank.wanted = and i64 %axes.wanted, 65535
  %rank.same = icmp eq i64 %rank, %rank.wanted
  br i1 %rank.same, label %ranked, label %no
ranked:
  %dimsp = getelementptr ptr, ptr %object, i64 4
  %dims = load ptr, ptr %dimsp
  br label %axis
axis:
  %a = phi i64 [ 0, %ranked ], [ %a.next, %size ]
  %bits = phi i64 [ 0, %ranked ], [ %bits.next, %size ]
  %last = icmp eq i64 %a, %rank
  br i1 %last, label %compare, label %size
size:
  %np = getelementptr i64, ptr %dims, i64 %a
  %n = load i64, ptr %np
  %one = icmp eq i64 %n, 1
  %bit = zext i1 %one to i64
  %shift = add i64 %a, 16
  %moved = shl i64 %bit, %shift
  %bits.next = or i64 %bits, %moved
  %a.next = add i64 %a, 1
  br label %axis
compare:
  %axes = or i64 %bits, %rank
  %axes.same = icmp eq i64 %axes, %axes.wanted
  br i1 %axes.same, label %good, label %no
good:
  %next = add i64 %k, 1
  %row.next = getelementptr i64, ptr %row, i64 3
  br label %more
yes:
  call void @Py_IncRef(ptr @_Py_TrueStruct)
  ret ptr @_Py_TrueStruct
no:
  call void @Py_IncRef(ptr @_Py_FalseStruct)
  ret ptr @_Py_FalseStruct
}
